#include "experiment/comparison.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace sieve {
namespace {

constexpr std::string_view kFile =
#include "paper_figures.inc"
    ;

std::string_view cut(std::string_view& rest, char at) {
  const std::size_t end = std::min(rest.find(at), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

double number(std::string_view text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<PaperFigure> parse() {
  std::vector<PaperFigure> figures;
  for (std::string_view rest = kFile; !rest.empty();) {
    std::string_view line = cut(rest, '\n');
    if (line.empty() || line[0] < '0' || line[0] > '9') continue;  // comments and the header
    std::array<std::string_view, 7> cells{};
    for (std::string_view& cell : cells) cell = cut(line, ',');
    figures.push_back({static_cast<int>(number(cells[0])), std::string(cells[1]),
                       std::string(cells[2]), std::string(cells[3]), std::string(cells[4]),
                       number(cells[5]), number(cells[6])});
  }
  return figures;
}

template <class Wanted>
const PaperFigure* find(Wanted&& wanted) {
  const auto found = std::ranges::find_if(paper_figures(), wanted);
  return found == paper_figures().end() ? nullptr : &*found;
}

}  // namespace

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> figures = parse();
  return figures;
}

const PaperFigure* paper_result(const std::string& measure, const std::string& data_set,
                                const std::string& noise, const std::string& method) {
  return find([&](const PaperFigure& figure) {  // table 2 comes first in the file
    return (figure.table == 2 || figure.table == 4) && figure.what == measure &&
           figure.data_set == data_set && figure.noise == noise && figure.method == method;
  });
}

const PaperFigure* paper_shape(const std::string& what, const std::string& data_set) {
  return find([&](const PaperFigure& figure) {
    return figure.table == 1 && figure.what == what && figure.data_set == data_set;
  });
}

}  // namespace sieve
