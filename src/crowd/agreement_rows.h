#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "crowd/label_sets.h"
#include "labelsieve/crowd.h"
#include "labelsieve/labels.h"
#include "labelsieve/threads.h"

namespace sieve {

// What a label adds to a figure: the annotations of shared rows that have it; the sum over rows of
// the share of annotations that have it; and how far the annotations of shared rows are apart, per
// annotation and per row.
struct LabelSums {
  double count = 0, share = 0, apart = 0, apart_share = 0;
  // Rows, shared rows and annotations of these that do not count for the label: too many are
  // unsure.
  double lost_rows = 0, lost_shared = 0, lost_annotations = 0;
};

// All sums that figures are made of. A row is shared if it has two or more annotations.
struct AgreementSums {
  AgreementSums(std::size_t labels, std::size_t different_sets)
      : label(labels), set_count(different_sets), set_share(different_sets) {}

  double rows = 0, shared = 0;  // rows with any annotation, and shared ones
  double annotations = 0;       // of shared rows
  // The same of annotations that are unsure of no label: only these are label sets.
  double set_rows = 0, set_shared = 0, set_annotations = 0;
  double masi = 0, masi_share = 0, sets = 0, sets_share = 0;  // as apart, apart_share of a label
  std::vector<LabelSums> label;
  std::vector<double> set_count, set_share;
};

// What each annotated row adds to the sums, so that a resample of rows costs no more than reading
// them. Memory: about 64 bytes per row, 40 per label of a row and 24 per different set of a row.
class AgreementRows {
 public:
  AgreementRows(const Votes& votes, const LabelSets& sets, std::size_t labels, ThreadPool& pool);

  std::size_t rows() const { return rows_.size(); }
  std::size_t labels() const { return labels_; }
  std::size_t sets() const { return sets_; }
  // Row i counts weight[i] times.
  AgreementSums sums(std::span<const std::uint32_t> weight) const;

 private:
  struct Row {
    double annotations = 0, complete = 0, masi = 0, sets = 0;  // complete: unsure of no label
    std::size_t first_label = 0, first_set = 0;
  };
  struct OfLabel {
    std::uint32_t label = 0;
    LabelSums sums{};
  };
  struct OfSet {
    std::uint32_t set = 0;
    double count = 0;
  };
  void add_row(const Votes& votes, const LabelSets& sets, std::size_t row);
  void measure_row(const LabelSets& sets, std::size_t row);

  std::size_t labels_, sets_;
  std::vector<Row> rows_;
  std::vector<OfLabel> label_entries_;  // of row i from first_label on, labels ascending
  std::vector<OfSet> set_entries_;
};

// At most `most`, those with most annotations first.
std::vector<std::uint32_t> busiest_annotators(const Votes& votes, std::size_t most);

// Every two of these annotators that share a row.
std::vector<PairAgreement> agreement_in_pairs(const Votes& votes, const LabelSets& sets,
                                              std::span<const std::uint32_t> annotators);

// Places of the `most` pairs with the smallest keys, smallest first.
std::vector<std::size_t> ordered_pairs(std::span<const PairAgreement> pairs, std::size_t most,
                                       const std::function<double(const Estimate&)>& key);

}  // namespace sieve
