#pragma once

#include "base/json.h"
#include "experiment/comparison.h"
#include "report/document.h"

namespace sieve {

// With fewer variants of data a Friedman test says nothing, with fewer repeats a t-test.
constexpr std::size_t kLeastVariants = 5, kLeastRepeats = 5;
// Whether all duels have repeats enough.
bool can_test_duels(const Comparison& all);

// A comparison as tables: means with the best marked, a summary of each method, win/tie/loss counts
// of the control, Friedman's test; beside a figure in parentheses what the paper has there.
Document comparison_document(const Comparison& comparison);

// What moved between two comparisons (changes_since).
DocumentTable changes_table(const Comparison& before, const Comparison& now);

// The same numbers for machines. CSV: one number per line.
Json comparison_json(const Comparison& comparison, const Comparison* before = nullptr);
std::string comparison_csv(const Comparison& comparison);

}  // namespace sieve
