#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"

// A real data set as the PML-GAN paper uses it: the 15 most frequent labels, the rows that have
// one.
inline sieve::Dataset read_paper_set(const std::string& folder, const std::string& set,
                                     sieve::ThreadPool& pool) {
  sieve::ReadOptions options;
  options.role = sieve::LabelRole::Truth;
  options.threads = &pool;
  sieve::Dataset data = sieve::read_dataset({folder + "/" + set}, options);
  sieve::filter_labels(data, data.labels() > 15 ? 15 : 0, true);
  return data;
}

// Its noise; mirflickr has noise of its own.
inline void add_paper_noise(sieve::Dataset& data, const std::string& set, std::uint64_t seed) {
  if (set != "mirflickr")
    sieve::noise_fill(data, set == "scene" ? 4 : set == "image" ? 3 : 10, seed);
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
