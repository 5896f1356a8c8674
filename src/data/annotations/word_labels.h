#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/annotations/said_annotations.h"
#include "labelsieve/data_io.h"

namespace sieve {

// The labels that each word stands for: a text may list several of them, or mean that there is
// none.
struct WordLabels {
  std::vector<std::vector<std::uint32_t>> of_word;
  std::vector<std::string> names;   // of the labels
  std::vector<std::size_t> counts;  // how often each was said
  bool has_lists = false;           // some texts were cut
  std::vector<std::string> notes;

  std::size_t count(const SaidAnnotations& said, std::size_t annotation) const {
    std::size_t labels = 0;
    said.for_words(annotation, [&](std::uint32_t word) { labels += of_word[word].size(); });
    return labels;
  }
};

// By all words together; see docs/formats/ticks.md. Error(Data) at `path` where they do not tell
// and the options do not either.
WordLabels labels_of_words(const SaidAnnotations& said, const AnnotationOptions& options,
                           const std::string& path);

}  // namespace sieve
