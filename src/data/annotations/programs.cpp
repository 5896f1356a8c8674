// Programs among the annotators, and groups of annotators.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "base/parse_number.h"
#include "data/annotations/annotation_files.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/plain_names.h"
#include "data/ids.h"
#include "data/text/text_lines.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

const ColumnNames kGroupNames = {"group", "kind", "team", "model", "site"};
const ColumnNames kKindNames = {"kind", "type", "annotatorkind", "annotatortype"};

std::size_t annotator_named(const Votes& votes, const std::string& name, const Place& place) {
  const auto annotators = votes.annotators();
  const auto found = std::ranges::find(annotators, name);
  if (found == annotators.end())
    throw Error(Failure::Data, "there is no annotator '" + name + "'", place,
                did_you_mean(name, {annotators.begin(), annotators.end()},
                             "name annotators as the annotations do"));
  return static_cast<std::size_t>(found - annotators.begin());
}

// ---- scores of a program
// -------------------------------------------------------------------------

// The scores of one program for some rows and labels of the data; NaN where it has none.
struct ProgramScores {
  std::string name;
  std::vector<std::uint32_t> labels;  // of the data, ascending
  std::vector<std::uint32_t> rows;    // ascending
  MatrixD values;                     // rows x labels
};

class ProgramReader {
 public:
  ProgramReader(const std::string& path, const Dataset& data, FileSystem& files,
                std::vector<std::string>& notes)
      : data_(data), records_(open_unpacked(files, path), path), path_(path), notes_(notes) {}

  ProgramScores read() {
    find_columns();
    ProgramScores out{name_of_file(path_), {}, {}, {}};
    for (const Column& column : columns_) out.labels.push_back(column.label);
    if (!data_.ids.empty())
      for (std::size_t row = 0; row < data_.rows(); ++row)
        row_of_.emplace(plain_name(data_.ids[row]), static_cast<std::uint32_t>(row));
    std::vector<std::pair<std::uint32_t, std::size_t>> order;
    MatrixD values(0, columns_.size());
    std::vector<bool> seen(data_.rows());
    for (std::size_t line = 0; records_.next(); ++line) {
      const std::optional<std::uint32_t> row = row_of(line);
      if (!row) continue;
      if (seen[*row])
        throw Error(Failure::Data, "this row has scores already", records_.place(),
                    "give each row once");
      seen[*row] = true;
      order.emplace_back(*row, values.rows());
      values.resize_rows(values.rows() + 1);
      for (std::size_t k = 0; k < columns_.size(); ++k)
        values(values.rows() - 1, k) = score_in(columns_[k].column);
    }
    refuse_without_rows(order.size());
    std::ranges::sort(order);
    out.values = MatrixD(order.size(), columns_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      out.rows.push_back(order[i].first);
      for (std::size_t k = 0; k < columns_.size(); ++k)
        out.values(i, k) = values(order[i].second, k);
    }
    return out;
  }

 private:
  struct Column {
    std::uint32_t label;
    std::size_t column;
  };

  // "bert" of "runs/bert.csv.gz".
  static std::string name_of_file(const std::string& path) {
    std::string name = path.substr(path.find_last_of("/\\") + 1);
    for (const std::string_view ending : {".gz", ".csv", ".tsv", ".jsonl", ".txt"})
      if (name.size() > ending.size() && name.ends_with(ending))
        name.resize(name.size() - ending.size());
    return name;
  }

  void find_columns() {
    const std::vector<std::string>& names = records_.names();
    std::unordered_map<std::string_view, std::uint32_t> label_of;
    for (std::uint32_t k = 0; k < data_.label_names.size(); ++k)
      label_of.emplace(data_.label_names[k], k);
    std::vector<std::string> unknown;
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string_view name = names[i];
      if (name.starts_with(kScoreMark)) name.remove_prefix(kScoreMark.size());
      if (const auto found = label_of.find(name); found != label_of.end())
        columns_.push_back({found->second, i});
      else if (item_ == AnnotationRecords::npos && is_item_name(names[i]))
        item_ = i;
      else if (bare_name(names[i]) != kRowColumn)
        unknown.push_back(names[i]);
    }
    if (columns_.empty())
      throw Error(Failure::Data, "no column of these scores is one of the labels", {path_, 0, 0},
                  fmt::format("name a column for each label, as in '{}{}'", kScoreMark,
                              data_.label_names.empty() ? "x" : data_.label_names.front()));
    std::ranges::sort(columns_, {}, &Column::label);
    for (std::size_t k = 1; k < columns_.size(); ++k)
      if (columns_[k].label == columns_[k - 1].label)
        throw Error(Failure::Data,
                    "two columns are the label '" + data_.label_names[columns_[k].label] + "'",
                    {path_, 0, 0}, "leave one of them out");
    if (!unknown.empty())
      notes_.push_back(path_ + ": columns that are no labels of the data, not read: " +
                       counted_names(unknown.size(), unknown));
    if (columns_.size() < data_.labels())
      notes_.push_back(fmt::format("{}: has scores for {} of {} labels, and says nothing of others",
                                   path_, columns_.size(), data_.labels()));
  }

  static bool is_item_name(const std::string& name) {
    const std::string bare = bare_name(name);
    return bare != kRowColumn && std::ranges::find(kItemNames, bare) != kItemNames.end();
  }

  std::optional<std::uint32_t> row_of(std::size_t line) const {
    if (data_.ids.empty() || item_ == AnnotationRecords::npos) {
      if (line >= data_.rows())
        throw Error(Failure::Data,
                    fmt::format("more rows of scores than the data has, {}", data_.rows()),
                    records_.place(), "give the rows ids, or the scores of these rows alone");
      return static_cast<std::uint32_t>(line);
    }
    const auto found = row_of_.find(plain_name(records_.cell(item_)));
    return found == row_of_.end() ? std::nullopt : std::optional(found->second);
  }

  void refuse_without_rows(std::size_t rows) const {
    const bool by_id = !data_.ids.empty() && item_ != AnnotationRecords::npos;
    if (rows == 0)
      throw Error(Failure::Data, "no row of these scores is a row of the data", {path_, 0, 0},
                  "name the rows as the data does, in a column 'id'");
    if (!by_id && rows != data_.rows())
      throw Error(Failure::Data,
                  fmt::format("{} rows of scores for {} rows of data", rows, data_.rows()),
                  {path_, 0, 0}, "name the rows as the data does, in a column 'id'");
  }

  double score_in(std::size_t column) const {
    const std::string_view cell = trimmed(records_.cell(column));
    if (cell.empty()) return std::nan("");
    const auto score = parse_number<double>(cell);
    if (!score || !(*score >= 0 && *score <= 1))
      throw Error(Failure::Data,
                  fmt::format("'{}' in '{}' is not a probability", cell.substr(0, 40),
                              records_.names()[column]),
                  records_.place(), "scores of a program are numbers from 0 to 1, or blank");
    return *score;
  }

  const Dataset& data_;
  AnnotationRecords records_;
  const std::string& path_;
  std::vector<std::string>& notes_;
  std::vector<Column> columns_;
  std::size_t item_ = AnnotationRecords::npos;
  std::unordered_map<std::string_view, std::uint32_t> row_of_;
};

// How often people tick each label where they say yes or no.
std::vector<double> tick_rates(const Votes& votes, std::size_t labels) {
  std::vector<double> ticks(labels), said(labels);
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation) {
    if (votes.is_program(votes.annotator(annotation))) continue;
    for (double& one : said) one += 1;
    for (const std::uint32_t l : votes.ticked(annotation)) ticks[l] += 1;
    for (const std::uint32_t l : votes.unsure(annotation)) said[l] -= 1;
  }
  for (std::size_t l = 0; l < labels; ++l) ticks[l] /= std::max(said[l], 1.0);
  return ticks;
}

// The score from which on a program ticks a label, and those that part its ticks into quarters.
struct Steps {
  double from = 1;
  std::array<double, 3> quarters{1, 1, 1};
  std::uint8_t grade(double score) const {
    return static_cast<std::uint8_t>(
        std::ranges::count_if(quarters, [&](double limit) { return score > limit; }));
  }
};

// About as often as people do. Scores of 0 are never a tick, those of 1 always are.
Steps steps_of(const ProgramScores& program, std::size_t k, double rate) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < program.rows.size(); ++i)
    if (const double score = program.values(i, k); !std::isnan(score)) scores.push_back(score);
  std::ranges::sort(scores, std::greater{});
  const double wanted = rate * static_cast<double>(scores.size());
  Steps best;
  double off = -1;
  std::size_t ticks = 0;
  // Ties go together: a threshold is one of the scores.
  for (std::size_t i = 0; i < scores.size();) {
    std::size_t next = i;
    while (next < scores.size() && scores[next] == scores[i]) ++next;
    const double miss = std::abs(static_cast<double>(next) - wanted);
    if (scores[i] > 0 && (off < 0 || miss < off)) best.from = scores[i], off = miss, ticks = next;
    i = next;
  }
  for (std::size_t part = 0; part < best.quarters.size() && ticks > 0; ++part)
    best.quarters[part] = scores[ticks - 1 - (part + 1) * ticks / 4];
  return best;
}

void add_program(const ProgramScores& program, std::uint32_t number, std::size_t labels,
                 const std::vector<double>& rates, VoteCollector& votes,
                 std::vector<std::string>& said, const Dataset& data) {
  std::vector<std::string> thresholds;
  std::vector<Steps> steps;
  for (std::size_t k = 0; k < program.labels.size(); ++k) {
    steps.push_back(steps_of(program, k, rates[program.labels[k]]));
    if (k < 5)
      thresholds.push_back(
          fmt::format("{} {:.3g}", data.label_names[program.labels[k]], steps[k].from));
  }
  if (program.labels.size() > thresholds.size()) thresholds.emplace_back("...");
  for (std::size_t i = 0; i < program.rows.size(); ++i) {
    const std::uint32_t row = program.rows[i];
    votes.annotate(row, number);
    std::size_t k = 0;
    for (std::uint32_t l = 0; l < labels; ++l) {
      const bool is_scored = k < program.labels.size() && program.labels[k] == l;
      const double score = is_scored ? program.values(i, k) : std::nan("");
      if (std::isnan(score))
        votes.unsure(row, number, l);
      else if (score >= steps[k].from)
        votes.tick(row, number, l, steps[k].grade(score));
      k += is_scored;
    }
  }
  said.push_back(fmt::format("'{}' is a program with scores for {} of {} rows; it ticks from: {}",
                             program.name, program.rows.size(), data.rows(),
                             fmt::join(thresholds, ", ")));
}

// The votes with those of the programs, and their ticks among the candidates.
void add_programs(Dataset& data, const AnnotationOptions& options, FileSystem& files,
                  std::vector<std::string>& said) {
  const Votes& votes = *data.votes;
  const std::vector<double> rates = tick_rates(votes, data.labels());
  std::vector<std::string> names(votes.annotators().begin(), votes.annotators().end());
  std::vector<std::uint32_t> same(names.size());
  for (std::uint32_t a = 0; a < same.size(); ++a) same[a] = a;
  std::vector<std::uint32_t> groups(votes.groups().begin(), votes.groups().end());
  std::vector<std::uint8_t> programs(names.size());
  for (std::size_t a = 0; a < names.size(); ++a) programs[a] = votes.is_program(a) ? 1 : 0;
  VoteCollector all;
  all.add(votes, 0, same);
  for (const std::string& path : options.program_scores) {
    const ProgramScores program = ProgramReader(path, data, files, said).read();
    if (std::ranges::find(names, program.name) != names.end())
      throw Error(Failure::Data, "there is an annotator '" + program.name + "' already",
                  {path, 0, 0}, "give the file another name: a program is named by it");
    add_program(program, static_cast<std::uint32_t>(names.size()), data.labels(), rates, all, said,
                data);
    names.push_back(program.name);
    programs.push_back(1);
  }
  // Programs that were there have a group for programs: new ones join it.
  std::uint32_t shared = kNoGroup;
  for (std::size_t a = 0; a < groups.size(); ++a)
    if (programs[a] != 0) shared = groups[a];
  if (!groups.empty()) groups.resize(names.size(), shared);
  Votes joined = all.finish(data.rows(), std::move(names));
  joined.declare(std::move(groups), std::move(programs));
  const LabelMatrix ticked = joined.any_tick(data.labels());
  for (std::size_t row = 0; row < data.rows(); ++row)
    ticked.for_each(row, [&](std::size_t label) { data.candidates.set(row, label); });
  data.votes = std::make_shared<const Votes>(std::move(joined));
}

// Whether each annotator is a program: as the votes have it, but for what is declared.
class Kinds {
 public:
  explicit Kinds(const Votes& votes) : votes_(votes), declared_(votes.annotators().size()) {
    for (std::size_t a = 0; a < votes.annotators().size(); ++a)
      programs_.push_back(votes.is_program(a) ? 1 : 0);
  }
  void declare(const std::string& name, std::string_view kind, const Place& place) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::any_of(words, [&](auto word) { return same_word(kind, word); });
    };
    const Failure failure = place.file.empty() ? Failure::Usage : Failure::Data;
    const bool program = is_one_of({"program", "model", "machine"});
    if (!program && !is_one_of({"person", "human"}))
      throw Error(failure, fmt::format("'{}' of '{}' is no kind of annotator", kind, name), place,
                  "annotators are programs or persons: NAME=program, NAME=person");
    const std::size_t a = annotator_named(votes_, std::string(plain_name(name)), place);
    if (declared_[a] && (programs_[a] != 0) != program)
      throw Error(failure, fmt::format("'{}' is a program and a person", name), place,
                  "every annotator is of one kind");
    declared_[a] = true;
    programs_[a] = program ? 1 : 0;
  }
  // A table of annotators and kinds; the annotations themselves may be that.
  void declare_table(const std::string& path, FileSystem& files) {
    AnnotationRecords records(open_unpacked(files, path), path);
    const std::size_t who = need_column(records, {}, kAnnotatorNames, "annotators", path);
    const std::size_t kind = need_column(records, {}, kKindNames, "kinds", path);
    while (records.next())
      declare(std::string(records.cell(who)), trimmed(records.cell(kind)), records.place());
  }
  std::vector<std::uint8_t> programs() && { return std::move(programs_); }

 private:
  const Votes& votes_;
  std::vector<bool> declared_;
  std::vector<std::uint8_t> programs_;
};

std::vector<std::uint8_t> kinds_of(const Votes& votes, const std::vector<std::string>& given,
                                   FileSystem& files) {
  Kinds kinds(votes);
  for (const std::string& one : given) {
    const std::size_t sign = one.rfind('=');
    if (one.starts_with('@'))
      kinds.declare_table(one.substr(1), files);
    else
      kinds.declare(one.substr(0, sign), sign == one.npos ? "" : one.substr(sign + 1), {});
  }
  return std::move(kinds).programs();
}

}  // namespace

void join_programs(Dataset& data, const AnnotationOptions& options, FileSystem& files,
                   std::vector<std::string>* notes) {
  if (options.program_scores.empty() && options.kinds.empty() && options.groups.empty()) return;
  if (!data.votes)
    throw Error(Failure::Data, "the data does not say who annotated what", {},
                "add " + term("ticks.path"));
  std::vector<std::string> said;
  if (!options.program_scores.empty()) add_programs(data, options, files, said);
  if (!options.kinds.empty() || !options.groups.empty()) {
    Votes votes = *data.votes;
    std::vector<std::uint8_t> programs = kinds_of(votes, options.kinds, files);
    std::vector<std::uint32_t> groups;
    if (!options.groups.empty()) groups = read_annotator_groups(options.groups, votes, files);
    votes.declare(std::move(groups), std::move(programs));
    data.votes = std::make_shared<const Votes>(std::move(votes));
  }
  if (notes != nullptr) notes->insert(notes->end(), said.begin(), said.end());
}

std::vector<std::uint32_t> read_annotator_groups(const std::string& path, const Votes& votes,
                                                 FileSystem& files) {
  AnnotationRecords records(open_unpacked(files, path), path);
  const std::size_t who = need_column(records, {}, kAnnotatorNames, "annotators", path);
  const std::size_t group = need_column(records, {}, kGroupNames, "groups", path);
  std::unordered_map<std::string, std::uint32_t> number;
  std::vector<std::uint32_t> out(votes.annotators().size(), kNoGroup);
  while (records.next()) {
    const std::string name(records.cell(who)), of(records.cell(group));
    std::uint32_t& mine = out[annotator_named(votes, name, records.place())];
    if (of.empty()) continue;
    const std::uint32_t its =
        number.emplace(of, static_cast<std::uint32_t>(number.size())).first->second;
    if (mine != kNoGroup && mine != its)
      throw Error(Failure::Data, "this annotator stands in two groups", records.place(),
                  "name one group for each annotator");
    mine = its;
  }
  return out;
}

}  // namespace sieve
