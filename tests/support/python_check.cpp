#include "support/python_check.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "support/places.h"
#include "support/support.h"

namespace sieve::test {
namespace {

const std::string kPython = "/usr/bin/python3";

}  // namespace

bool python_imports(const std::string& modules) {
  const std::string probe = kPython + " -c 'import " + modules + "' > /dev/null 2>&1";
  return std::system(probe.c_str()) == 0;
}

std::string python_problem() {
  if (python_imports("sklearn, scipy")) return {};
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string_view(ci) == "true")
    throw std::runtime_error(kPython + " cannot import sklearn and scipy, which CI must have");
  return "install python3-sklearn and python3-scipy to compare with them";
}

std::map<std::string, double> run_python(const std::string& script, const std::string& folder) {
  const std::string out = folder + "/out.txt", errors = folder + "/errors.txt";
  const std::string command = fmt::format("{} '{}/{}' '{}' > '{}' 2> '{}'", kPython, tests_folder(),
                                          script, folder, out, errors);
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(script + " failed:\n" + read_file(errors));
  std::map<std::string, double> values;
  std::istringstream lines(read_file(out));
  for (std::string name, text; lines >> name >> text;) {
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc{}) throw std::runtime_error(script + " printed " + text);
    values[name] = value;
  }
  return values;
}

void write_matrix(const std::string& path, const MatrixD& values) {
  std::string text;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (const double value : values.row(i)) text += fmt::format("{} ", value);
    text += '\n';
  }
  write_file(path, text);
}

void write_matrix(const std::string& path, const LabelMatrix& values) {
  MatrixD numbers(values.rows(), values.labels());
  for (std::size_t i = 0; i < values.rows(); ++i)
    values.for_each(i, [&](std::size_t k) { numbers(i, k) = 1; });
  write_matrix(path, numbers);
}

}  // namespace sieve::test
