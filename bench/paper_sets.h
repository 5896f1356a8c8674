#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"

// A set and how it is cut down, "yeast/rows=593/features=5/labels=6": the most frequent labels (0:
// all), and numbers of features and rows, evenly spaced.
struct CutSet {
  std::string set;
  std::size_t rows = 0, features = 0, labels = 15;

  explicit CutSet(const std::string& name) : set(name.substr(0, name.find('/'))) {
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      const std::string part = name.substr(at + 1, name.find('/', at + 1) - at - 1);
      const std::size_t equals = part.find('=');
      const std::string key = part.substr(0, equals);
      std::size_t* place = key == "rows"       ? &rows
                           : key == "features" ? &features
                           : key == "labels"   ? &labels
                                               : nullptr;
      if (place == nullptr || equals == std::string::npos)
        throw std::invalid_argument("no such part of a set: " + part);
      *place = std::stoul(part.substr(equals + 1));
    }
  }
};

// The set cut to these numbers of features, evenly spaced, and of rows; 0: all.
inline sieve::Dataset cut_down(sieve::Dataset data, std::size_t features, std::size_t rows) {
  if (rows > 0 && rows < data.rows()) {
    std::vector<std::size_t> kept(rows);
    for (std::size_t i = 0; i < rows; ++i) kept[i] = i * data.rows() / rows;
    data = data.select_rows(kept);
  }
  if (features == 0 || features >= data.features.cols()) return data;
  sieve::Matrix some(data.rows(), features);
  std::vector<float> row(data.features.cols());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.features.copy_row(i, row);
    for (std::size_t j = 0; j < features; ++j) some(i, j) = row[j * row.size() / features];
  }
  for (std::size_t j = 0; j < features && !data.feature_names.empty(); ++j)
    names.push_back(data.feature_names[j * row.size() / features]);
  data.feature_names = std::move(names);
  data.features = sieve::Features(std::move(some));
  return data;
}

// A real data set as the PML-GAN paper uses it: the 15 most frequent labels, the rows that have
// one; or cut down as its name says.
inline sieve::Dataset read_paper_set(const std::string& folder, const std::string& name,
                                     sieve::ThreadPool& pool) {
  const CutSet cut(name);
  sieve::ReadOptions options;
  options.role = sieve::LabelRole::Truth;
  options.threads = &pool;
  sieve::Dataset data =
      cut_down(sieve::read_dataset({folder + "/" + cut.set}, options), 0, cut.rows);
  sieve::filter_labels(data, data.labels() > cut.labels ? cut.labels : 0, true);
  return cut_down(std::move(data), cut.features, 0);
}

// Its noise (mirflickr and YeastBP have noise of their own): rows are filled up. Sets that the
// paper does not have, and cut ones, get about three labels more than a row has.
inline void add_paper_noise(sieve::Dataset& data, const std::string& name, std::uint64_t seed) {
  const std::string set = CutSet(name).set;
  if (set == "mirflickr" || set == "YeastBP") return;
  const bool known = set == name && data.labels() > (set == "scene" || set == "image" ? 4 : 10);
  const std::size_t mean = (data.truth->count() + data.rows() / 2) / data.rows();
  const std::size_t average = !known           ? std::min(mean + 3, data.labels() - 1)
                              : set == "scene" ? 4
                              : set == "image" ? 3
                                               : 10;
  sieve::noise_fill(data, average, seed);
}

// Four kinds of noise: "none"; "fill", the paper's (mirflickr keeps its own); "rates", a rate from
// 0 to 0.6 for each label; "features", as many labels more as are right, by what a linear model
// takes for the most plausible.
inline void add_noise(sieve::Dataset& data, const std::string& set, const std::string& kind,
                      std::uint64_t seed, sieve::ThreadPool& pool) {
  if (kind == "fill") return add_paper_noise(data, set, seed);
  data.candidates = data.truth->clone();
  if (kind == "rates")
    sieve::noise_flip(data, sieve::draw_flip_rates(data.labels(), 0, 0.6, seed), seed);
  else if (kind == "features")
    sieve::noise_plausible(data, 100, seed, pool);
  else if (kind != "none")
    throw std::invalid_argument("no such noise: " + kind);
}
