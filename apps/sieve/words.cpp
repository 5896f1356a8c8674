#include "words.h"

#include <algorithm>

namespace sieve {
namespace {

const char* row_of(const std::string& name) {
  const auto found = std::ranges::find(word_table(), name, &WordRow::term);
  return found == word_table().end() ? nullptr : found->words;
}

}  // namespace

const std::vector<WordRow>& word_table() {
  static const std::vector<WordRow> table = {
      {"EpochLog", "sieve train --log"},
      {"Learner::fit", "sieve train"},
      {"Model::state", "sieve info"},
      {"WriteOptions::format", "--to"},
      {"format", "--format"},
      {"id_column", "--id-column"},
      {"id_file", "--id-file"},
      {"if_exists=replace", "--force"},
      {"if_other=extend", "--extend"},
      {"jobs", "--jobs"},
      {"judge_out_of_fold", "sieve clean"},
      {"kind", "--kind"},
      {"label_file", "--label-file"},
      {"labels", "--labels"},
      {"labels.column", "--label-column"},
      {"labels.count", "--label-count"},
      {"labels.names", "--label-names"},
      {"labels.prefix", "--label-prefix"},
      {"labels.separator", "--label-separator"},
      {"log", "--log"},
      {"measures", "--measures"},
      {"only", "--only"},
      {"resume_from", "--resume"},
      {"run_experiment", "sieve experiment"},
      {"store", "--store"},
      {"table.category", "--category-column"},
      {"table.date", "--date-column"},
      {"table.decimal", "--decimal"},
      {"table.ignore", "--ignore-columns"},
      {"table.text", "--text-column"},
      {"table.thousands", "--thousands"},
      {"test", "--test"},
      {"ticks.item", "--ticks-item"},
      {"ticks.label", "--ticks-label"},
      {"ticks.looked", "--looked"},
      {"ticks.path", "--ticks"},
      {"ticks.person", "--ticks-person"},
      {"truth", "--truth"},
      {"xml", "--xml"},
  };
  return table;
}

std::string command_words(const Term& term) {
  const std::string name(term.name), value(term.value);
  if (const char* words = row_of(name + "=" + value)) return words;
  const char* words = row_of(name);
  return (words != nullptr ? words : name) + (value.empty() ? "" : " ") + value;
}

}  // namespace sieve
