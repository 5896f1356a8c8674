#include "support/support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "labelsieve/error.h"

namespace sieve::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "labelsieve-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

std::optional<std::string> data_folder() {
  const char* folder = std::getenv("LABELSIEVE_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  if (!fs::is_directory(folder))
    throw std::runtime_error(std::string("LABELSIEVE_DATA is not a folder: ") + folder);
  return folder;
}

LabelMatrix labels_of(std::initializer_list<std::string_view> rows) {
  LabelMatrix labels(rows.size(), rows.size() == 0 ? 0 : rows.begin()->size());
  std::size_t i = 0;
  for (const std::string_view row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] == '1') labels.set(i, k);
    ++i;
  }
  return labels;
}

std::string refusal(const std::function<void()>& call, int* exit_code) {
  try {
    call();
  } catch (const Error& error) {
    if (exit_code != nullptr) *exit_code = error.exit_code();
    return error.what();
  }
  return {};
}

Dataset thinned(Dataset data) {
  Matrix& x = data.features.dense();
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j)
      if ((i + j) % 5 != 0) x(i, j) = 0;
  data.features = data.features.to_sparse();
  return data;
}

}  // namespace sieve::test
