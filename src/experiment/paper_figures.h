#pragma once

#include <string>
#include <vector>

namespace sieve {

// One figure of the paper's tables, in our names; plans/paper_figures.csv gives the source.
struct PaperFigure {
  int table = 0;              // 1 data sets, 2 results, 3 win/tie/loss, 4 ablation
  std::string what;           // a measure; "rows", "features" or "labels"; "hamming-loss/win"
  std::string data_set;       // "" in table 3
  std::string noise;          // "fill-10", "given"; "" in tables 1 and 3
  std::string method;         // in table 3 the one PML-GAN is compared with; "" in table 1
  double value = 0, std = 0;  // std is NaN where the paper has none
};

const std::vector<PaperFigure>& paper_figures();

// The paper's mean for a cell of table 2, or of table 4 if it is not in table 2; otherwise null.
const PaperFigure* paper_result(const std::string& measure, const std::string& data_set,
                                const std::string& noise, const std::string& method);
// "rows", "features" or "labels" of a data set in the paper; else null.
const PaperFigure* paper_shape(const std::string& what, const std::string& data_set);

}  // namespace sieve
