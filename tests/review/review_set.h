#pragma once

#include <memory>
#include <string>

#include "labelsieve/prepare.h"
#include "labelsieve/review.h"
#include "review/review.h"
#include "support/support.h"

namespace sieve::test {

// Three people, two labels; rows a, b, c, ... with texts; label 0 is ticked everywhere, label 1 in
// every second row. Confidence grows with the row.
inline ReviewMaterial small_material(std::size_t rows = 6) {
  ReviewMaterial material;
  Dataset& data = material.data;
  data.name = "small";
  data.features = Features(Matrix(rows, 0));
  data.candidates = LabelMatrix(rows, 2);
  data.label_names = {"sun", "sea"};
  std::vector<ReviewCell> cells;
  for (std::uint32_t row = 0; row < rows; ++row) {
    data.ids.push_back(std::string(1, static_cast<char>('a' + row)));
    data.candidates.set(row, 0);
    const float odds = -3.0F + static_cast<float>(row);
    cells.push_back({{row, 0}, true, odds});
    if (row % 2 == 0) {
      data.candidates.set(row, 1);
      cells.push_back({{row, 1}, true, odds + 0.5F});
    }
  }
  material.guess_from = GuessFrom::Votes;
  material.cells = ReviewCells(std::move(cells), rows);
  material.texts.columns = {"text"};
  for (std::size_t row = 0; row < rows; ++row)
    material.texts.rows.push_back({row % 2 == 0 ? "a bright <b>sunny</b> day" : "grey rain"});
  return material;
}

// A simulated crowd, judged by its votes; gives the truth along.
inline ReviewMaterial crowd_material(std::size_t rows, std::size_t labels, std::uint64_t seed = 1) {
  SynthOptions options;
  options.rows = rows;
  options.labels = labels;
  options.votes = true;
  options.seed = seed;
  ThreadPool pool(1);
  return material_of(judge(make_synthetic(options, pool), for_review({.fit = {.threads = &pool}})));
}

}  // namespace sieve::test
