#include "data/annotations/shared_samples.h"

#include <algorithm>
#include <set>

namespace sieve {

std::size_t SharedSamples::share_of(std::size_t files) {
  return (AnnotationRecords::kSampleRecords + files - 1) / files;
}

void SharedSamples::add(const AnnotationRecords& records) {
  Parts& parts = parts_[records.names()];
  const Records& sample = records.sample();
  const std::size_t count = std::min(sample.size(), share_of(parts.size() + 1));
  parts.emplace_back(records.path(),
                     Records(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(count)));
}

void SharedSamples::share_with(AnnotationRecords& records) const {
  const auto found = parts_.find(records.names());
  if (found == parts_.end() || found->second.size() < 2) return;
  const std::size_t share = share_of(found->second.size());
  const Records& own = records.sample();
  std::set<AnnotationRecords::Record> known(own.begin(), own.end());
  Records others;
  for (const auto& [path, part] : found->second)
    for (std::size_t i = 0; path != records.path() && i < std::min(share, part.size()); ++i)
      if (known.insert(part[i]).second) others.push_back(part[i]);
  records.share_sample(share, others);
}

}  // namespace sieve
