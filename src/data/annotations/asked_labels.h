#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/annotations/annotation_sink.h"
#include "data/name_index.h"
#include "labelsieve/data_io.h"

namespace sieve {

// Answers to questions about one label each: "does this item have label X?" What one annotator said
// of one item is an annotation if it answers the question about every label; else nothing is known
// of the other labels, and it is left out.
class AskedLabels {
 public:
  // A later answer replaces an earlier one.
  void add(std::string_view item, std::string_view annotator, std::string_view label, Vote vote,
           const Place& place);

  // Only these labels count: names with commas between them.
  void choose(std::string labels) { chosen_ = std::move(labels); }

  // Hands the annotations on, once all files are read. With options.all_people, labels that were
  // not asked about count as not ticked. Notes tell what was left out. Error(Data) if nothing
  // remains, Error(Usage) for a chosen label that nobody was asked about.
  void finish(const AnnotationOptions& options, AnnotationSink& sink);

 private:
  struct Annotation {
    std::string item, annotator;
    Place place;
    std::map<std::uint32_t, Vote> answers{};  // by label
  };

  std::set<std::uint32_t> chosen_labels(const std::string& path) const;
  std::string counts_of(const std::set<std::uint32_t>& labels) const;

  std::string chosen_;
  NameIndex labels_;
  std::map<std::pair<std::string, std::string>, std::size_t> number_of_;
  std::vector<Annotation> annotations_;
  std::size_t replaced_ = 0;
};

}  // namespace sieve
