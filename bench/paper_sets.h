#pragma once

#include <cstdint>
#include <string>

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
