#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "data/roles/guess_roles.h"
#include "data/roles/roles_file.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "support/memory_streams.h"

using namespace sieve;

namespace {

std::optional<RoleTable> guess(const std::vector<std::string>& paths, const ReadOptions& options) {
  try {
    return guess_roles(paths, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Roles of a table that leave nothing open can be written, read and used.
void check_table(const std::string& text, bool annotations) {
  test::MemoryFiles files({{"input", text}});
  ReadSettings all;
  all.options.files = &files;
  if (annotations) all.options.ticks.path = "input";
  const std::vector<std::string> paths(annotations ? 0 : 1, "input");
  const std::optional<RoleTable> roles = guess(paths, all.options);
  if (!roles) return;
  for (const ColumnRole& column : roles->columns) {
    const auto& names = role_names();
    if (column.role != kUnclearRole && std::ranges::find(names, column.role) == names.end())
      std::abort();
  }
  if (!roles->open.empty()) return;
  try {
    apply_roles_text(roles_text(*roles), "roles", all);
  } catch (const Error&) {
    return;  // columns of one name, or a name that is no text
  }
  all.options.labels.optional = true;
  try {
    read_dataset(paths, all.options);
  } catch (const ReadQuestion&) {
    std::abort();
  } catch (const Error&) {
  }
}

// Any file is taken as roles or refused.
void check_file(const std::string& text) {
  ReadSettings all;
  try {
    apply_roles_text(text, "roles", all);
  } catch (const Error&) {
  }
}

}  // namespace

// The first byte says what the rest is: data, annotations or a file of roles.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  if (bytes[0] % 3 == 2)
    check_file(text);
  else
    check_table(text, bytes[0] % 3 == 1);
  return 0;
}
