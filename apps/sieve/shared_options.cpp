#include "shared_options.h"

#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/named_rows.h"
#include "labelsieve/data_io.h"
#include "labelsieve/threads.h"
#include "reading.h"

namespace sieve {
namespace {

// "800000000", "800M", "1.5G" or "1.5GB".
double bytes_of(std::string_view text) {
  double size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.size() > 1 && (unit.back() == 'B' || unit.back() == 'b')) unit.remove_suffix(1);
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t power =
      unit.size() == 1
          ? kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])))) + 1
          : 0;
  if (error != std::errc() || unit.size() > 1 || (unit.size() == 1 && power == 0) ||
      !(size > 0 && size < 1e15))
    throw usage_error("--max-memory: '" + std::string(text) + "' is not an amount of memory",
                      "give it as in 800M or 1.5G");
  for (std::size_t i = 0; i < power; ++i) size *= 1000;
  return size;
}

}  // namespace

Option memory_option() {
  return text("max-memory", "SIZE", "memory limit, such as 800M or 1.5G (exit code 3 beyond it)");
}

void heed_memory_option(const Arguments& arguments) {
  if (arguments.has("max-memory"))
    set_memory_limit(static_cast<std::uint64_t>(bytes_of(arguments.text("max-memory"))));
}

std::vector<Option> method_options() {
  const std::vector<std::string> names = names_of(all_methods());
  Option method = choice("method", names, "learning method; see: sieve methods", names.front());
  method.meta = "NAME";
  return in_group(
      "learning",
      {std::move(method), pairs("set", "method option (repeatable); see: sieve methods NAME")});
}

const MethodInfo& chosen_method(const Arguments& arguments) {
  const std::string& name = arguments.text("method");
  return name.empty() ? all_methods().front() : method_info(name);
}

Options method_settings(const Arguments& arguments) {
  const MethodInfo& method = chosen_method(arguments);
  Options options(method.options);
  for (const auto& [key, value] : arguments.pairs("set")) try {
      options.set(key, value);
    } catch (const Error& error) {
      throw usage_error("--set: " + error.message(),
                        error.hint() + "\n  see: sieve methods " + method.name);
    }
  return options;
}

std::vector<Option> guarantee_options(const std::string& help) {
  return {list("guarantee", "GOALS", help),
          path("decided", "rows with right labels that were not trained on, for --guarantee"),
          real("level", "the probability that a guarantee holds", 0.5, 0.9999, "0.9")};
}

std::vector<GuaranteeGoal> guarantee_goals(const Arguments& arguments) {
  std::vector<GuaranteeGoal> goals;
  for (const std::string& text : arguments.list("guarantee"))
    goals.push_back(parse_guarantee(text));
  for (const char* other : {"decided", "level"})
    if (goals.empty() && arguments.given(other))
      throw usage_error(std::string("--") + other + " is for --guarantee",
                        "say what to promise, as in --guarantee precision=0.9");
  return goals;
}

DecidedRows read_decided(const Arguments& arguments, const Model& model, ThreadPool& pool,
                         std::vector<std::string>& notes) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.recipe = model.state().recipe;
  options.known_features = model.state().feature_names;
  return decided_rows(model, read_dataset({arguments.text("decided")}, options), pool);
}

}  // namespace sieve
