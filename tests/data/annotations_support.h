#pragma once

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve::test {

// The annotations in a file "t" of this text.
inline Annotations ticks_of(const std::string& text, AnnotationOptions options = {},
                            std::vector<std::string>* notes = nullptr) {
  MemoryFiles files({{"t", text}});
  options.path = "t";
  return read_annotations(options, files, notes);
}

// "item annotator: label label; ..." in the order of items, annotators and labels.
inline std::string told(const Annotations& ticks) {
  std::string out;
  for (std::size_t item = 0; item < ticks.items.size(); ++item)
    for (std::size_t annotation = ticks.votes.first_annotation(item);
         annotation < ticks.votes.first_annotation(item + 1); ++annotation) {
      out += ticks.items[item] + " " + ticks.votes.annotators()[ticks.votes.annotator(annotation)] +
             ":";
      for (const std::uint32_t label : ticks.votes.ticked(annotation))
        out += " " + ticks.labels[label];
      out += "; ";
    }
  return out;
}

}  // namespace sieve::test
