#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/files.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// Annotations, as annotation platforms export them (docs/formats/ticks.md).

// The last decision of one reviewer about a cell.
struct ReviewerDecision {
  std::uint32_t row = 0, label = 0;
  bool on = false;
  std::string reviewer{};
};

struct AnnotationOptions {
  std::string path{};    // files, folders, zips or patterns (*.csv), a line each; "" for no ticks
  std::string looked{};  // a table of item and annotator: who looked, whatever they ticked
  std::string format{};  // one of annotation_format_names(); else recognised by content
  // The columns (or keys) with the item, the annotator and the labels; else recognised by name.
  std::string item{}, annotator{}, label{};
  // Long tables: the column that says yes or no to the label of a line, "none" if none does; else
  // recognised by name and content.
  std::string value{};
  // The column that says what annotators are unsure of: labels, or yes and no for the labels of a
  // line. Read if it is named here; "none" also keeps quiet about one that looks like it.
  std::string unsure{};
  // Grades instead of yes and no, in the column above or in one column per label: "0-3", "1-5".
  std::string scale{};
  // Grades from this on are ticks; else those above 0 on a scale from 0, otherwise those above its
  // middle.
  std::optional<double> ticks_from{};
  std::vector<std::string> sheets{};  // of a workbook, by name or number; none: all of them
  // Names of the columns of a table whose first line has none: "item", "annotator", "label", ...
  std::vector<std::string> columns{};
  // What the items are: one of item_kinds(). Else ids, or row numbers in a column named "row".
  std::string items_are{};
  // Between several labels in one cell, "tab", or "none" where a text is one label; else recognised
  // where it is plain.
  std::string separator{};
  // Words that mean that there is no label, with commas between; else n/a, nan, null and the like,
  // and it is asked about none, na and the like.
  std::optional<std::string> empty_words{};
  bool merge_case = false;  // names that differ only by case or spaces are one
  // Which of several annotations of one annotator for one item count: one of repeat_rules(). Else
  // the last, and it is asked where that cannot be told from several ticks.
  std::string repeats{};
  bool all_annotators = false;  // also annotations that were rejected or cover only some labels
  bool keep_unseen = false;     // also rows that nobody looked at
  bool predictions = false;     // Label Studio: predictions are annotations of programs, too
  // Tables of scores in [0, 1] (docs/formats/scores.md), each that of a program named by the file.
  std::vector<std::string> program_scores{};
  // "NAME=program" or "NAME=person" for each annotator who is not what the file says.
  std::vector<std::string> kinds{};
  std::string groups{};  // a table of annotator and group: see Votes
};

// "long", "mturk", ...
std::vector<std::string> annotation_format_names();
// "ids"; "row-numbers", from 0 or from 1, whichever fits; "row-numbers-from-0",
// "row-numbers-from-1".
std::vector<std::string> item_kinds();
// "last", "first", "union".
std::vector<std::string> repeat_rules();

// Annotations as they were read. The rows of the votes are the items, in the order of the file;
// labels stand in the order of their bytes.
struct Annotations {
  std::vector<std::string> items, labels;
  Votes votes;
  std::string item_column{};  // the column with the items, if it was a table
};

// Reads ticks; options.path must be set. An annotator who ticked nothing has looked, where the file
// says so (an annotation without a label); a file that lists ticks alone cannot, which a note says
// unless `looked` tells. Memory: that of the names, 4 bytes per tick and up to 48 per annotation,
// then that of the votes. Throws Error(Io) and Error(Data) as read_dataset() does, Error(Usage) for
// a column that is not there.
Annotations read_annotations(const AnnotationOptions& options,
                             FileSystem& files = FileSystem::real(),
                             std::vector<std::string>* notes = nullptr);

// Gives each row of the data the votes on it, and its candidates: what anybody ticked, and what it
// had before, unless that was the truth. Rows and items are joined by id, or by row number where
// options.items_are or a column of items named "row" says so; Error(Data) for data without ids
// otherwise. Labels of the data come first, then those that only ticks have. Rows that nobody
// looked at are left out unless options.keep_unseen. Notes tell what did not match. Error(Data) if
// nothing matches.
void join_annotations(Dataset& data, Annotations ticks, const AnnotationOptions& options,
                      std::vector<std::string>* notes = nullptr);

// Adds programs to the votes of the data, by their scores for its rows (by id where both have ids,
// else by order). A program ticks a label where its score reaches the threshold of the label, which
// is chosen so that it ticks as often as people do; it says nothing of labels and rows that are not
// in its table. Then declares kinds and groups of annotators. Error(Data) for data without votes,
// scores outside [0, 1], a program named as an annotator, and annotators that are not there.
void join_programs(Dataset& data, const AnnotationOptions& options,
                   FileSystem& files = FileSystem::real(),
                   std::vector<std::string>* notes = nullptr);

// Declared groups of annotators from a CSV file with a line per annotator: their name and that of
// the group. One number per annotator of the votes, kNoGroup where none is named. Error(Data) with
// file and line for an annotator who did not annotate or stands in two groups.
std::vector<std::uint32_t> read_annotator_groups(const std::string& path, const Votes& votes,
                                                 FileSystem& files = FileSystem::real());

// Writes the votes of the data as CSV, one tick per line: id (or row, counted from 0, where there
// are no ids), annotator, label. An annotation without a tick is a line without a label.
// read_annotations() reads it back. Error(Usage) if it has no votes.
void write_annotations(const Dataset& data, OutputStream& out);

// The meaning of a label matrix when the file itself does not say.
enum class LabelRole {
  Candidates,  // candidates only; the truth is not known
  Truth,       // the truth; it is taken as the candidates too (a clean set)
};

// Which columns of a text table are labels. At most one of the ways below is used; with none of
// them the file has to say it itself (ARFF: XML beside it, or the relation line; CSV: column names
// that begin with "label:", "candidate:" or "truth:"; LIBSVM: the first field).
struct LabelColumns {
  std::vector<std::string> names;  // exactly these columns
  std::string prefix;              // columns whose name begins with this (cut off from the name)
  std::optional<long> count;       // n > 0: the first n columns; n < 0: the last -n; 0: no labels
  std::string column;              // one column that holds a list of label names ...
  std::string separator = ";";     // ... separated by this
  bool all = false;                // every column is a label: there are no features
  bool optional = false;           // none found: the set has no labels; else an error
  bool else_all = false;           // CSV: ... or every column is one
  bool given() const;              // whether any of these is set
};

struct ReadOptions {
  std::string format{};  // one of format_names(); else detected from content, then from the name
  LabelRole role = LabelRole::Candidates;
  LabelColumns labels;
  std::optional<bool> header;               // CSV: the first line has names; else detected
  std::vector<std::string> header_names{};  // CSV: such a line is one, even if they are numbers
  char delimiter = 0;                       // CSV: 0 = detected among , tab ; |
  std::vector<std::string> sheets{};        // of a workbook, by name or number; none: all of them
  // CSV, JSON lines: the column with the ids of the rows, "" for none. Not set: a column that is
  // plainly one is taken for it (docs/formats/csv.md), and a note says so.
  std::optional<std::string> id_column{};
  // CSV, JSON lines: columns of the annotations that may name their items. A column of the same
  // name has the ids; Error(Data) that asks if it cannot.
  std::vector<std::string> item_names{};
  std::string* id_column_taken = nullptr;     // gets the name of the column with the ids
  std::vector<std::string> known_features{};  // names of features, never taken for ids
  AnnotationOptions ticks{};                  // annotations in a separate file
  std::string xml;  // ARFF: label list; else <name>.xml beside the file is tried
  // A file with the labels of the rows, joined by id where both have ids, else by order; `labels`
  // is then about this file, and where it says nothing every column is a label.
  std::string label_file{};
  std::string id_file{};  // one id per line, for the same rows in the same order
  // CSV and JSON lines: a table that is not all numbers becomes features by a recipe. It is learnt
  // from the rows that `learn_from` chooses once the labels are known (else from all), unless there
  // is one already.
  TableOptions table{};
  std::shared_ptr<const FeatureRecipe> recipe{};
  std::function<std::vector<std::size_t>(const Dataset&)> learn_from{};
  RecipeTally* tally = nullptr;  // counts unusual values
  FileSystem* files = &FileSystem::real();
  ThreadPool* threads = nullptr;  // parse blocks in parallel; the result does not depend on it
  // Receives a sentence about everything that was guessed or left out.
  std::vector<std::string>* notes = nullptr;
  // Keeps the cells of CSV and JSON lines, so that these formats can write them unchanged.
  bool keep_cells = false;
  // Keeps the texts of columns that are left out of the features, too: people read them.
  bool keep_left_out = false;
};

struct WriteOptions {
  std::string format{};  // one of format_names(); else from the name
  // Which label matrix to write where the format holds one only, or both are not wanted.
  enum class Labels { All, Candidates, Truth } labels = Labels::All;
  bool sparse = false;       // ARFF: write sparse rows even if the data is dense
  bool mat73 = false;        // MAT: version 7.3 (HDF5) instead of 5
  char delimiter = 0;        // CSV: 0 = tab for .tsv, else comma
  std::string label_column;  // CSV: write labels as one column of this name, cut by `separator`
  char separator = ';';
  IfExists if_exists = IfExists::Refuse;
  FileSystem* files = &FileSystem::real();
};

// Reads one data set. `paths` may be
//   - one file of any format, plain or gzip;
//   - one folder that holds one data set (its train and test files are put together);
//   - several files of one set, put together in the given order.
// In a folder, or among several files, one whose name contains _candidates or _partial_labels, and
// one whose name contains _target or _truth, is a matrix of labels only; they are joined to the
// others row by row. With `ticks`, the rows are joined to who ticked what as join_annotations()
// does; files without labels of their own are then fine, and no files at all give the items of the
// ticks as rows without features. A CSV file or JSON lines whose cells are not all numbers is a
// table: missing values are filled in, categories and text become features
// (docs/formats/tables.md), and the recipe for it is in the set. Throws Error(Io) where the system
// fails and Error(Data) with file, line and column where the content is refused. Memory: the data
// set plus a fixed number of text blocks. A file cannot make the reader allocate more than a small
// multiple of its (unpacked) size. The features of a plain binary file stay in it and are mapped.
Dataset read_dataset(const std::vector<std::string>& paths, const ReadOptions& options = {});

// Rows of features, with one name per feature or none, and one id per row or none.
struct FeatureBlock {
  Features features;
  std::vector<std::string> names;
  std::vector<std::string> ids{};
  std::size_t first_row = 0;  // among all rows of the set
};
// Works on a block (and may spoil its features) on one of the threads of the options, several at
// once. What it gives back is called in the order of the blocks, one call at a time.
using TakeFeatures = std::function<std::function<void()>(FeatureBlock&)>;
// Reads the features of a set alone and hands them on block by block; labels and files of labels
// are left out. Where the options have a recipe, the features are those it makes, else a cell that
// is not a number is refused. A CSV file, or a LIBSVM file that tells its size in the first line,
// takes memory for a few blocks of text only, a plain binary file for a few blocks of rows, and so
// does the full matrix of a MAT file, which goes through a file in /tmp; any other file is read as
// a whole first. Throws as read_dataset does, and what `take` throws, once all blocks before the
// failure are finished; none after it is.
void read_features(const std::vector<std::string>& paths, const ReadOptions& options,
                   const TakeFeatures& take);

// Writes the set to `path` (gzip if the name ends in .gz; ARFF also writes <name>.xml beside it).
// The files appear only when complete. Throws Error(Usage) if the format cannot hold the set.
void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options = {});
// The same, but they appear with the other files of `set`, when that is committed.
void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                   FileSet& set);

// Hands a set on block by block, in order. All blocks have the same columns and names.
using DatasetBlocks = std::function<void(const std::function<void(Dataset&&)>& take)>;
// Writes a set that comes in blocks to the binary file `path`. Of dense blocks only labels and ids
// are kept in memory; sparse features and votes have to come as one block.
DataShape write_binary_blocks(const DatasetBlocks& blocks, const std::string& path,
                              const WriteOptions& options = {});

// Writes the set of `paths` to the binary file `path`, as reading and writing it would. A single
// CSV file is never in memory as a whole but for its labels (unless they come as lists).
DataShape convert_to_binary(const std::vector<std::string>& paths, const ReadOptions& read,
                            const std::string& path, const WriteOptions& write);

// The parts of the set that the file cannot hold, a sentence each: not every format has ids and
// votes.
std::vector<std::string> lost_by_writing(const Dataset& data, const std::string& path,
                                         const WriteOptions& options = {});

// The files that write_dataset makes of a set. Error(Usage) where it would refuse the format.
std::vector<std::string> files_written(const std::string& path, const WriteOptions& options = {});

// "arff", "libsvm", "csv", ...
std::vector<std::string> format_names();
// By extension, a final .gz set aside; "" if that tells none.
std::string format_of_name(const std::string& path);
// What a new file of that format ends in: ".csv". Error(Usage) if there is no such format.
std::string extension_of(const std::string& format);

// Labels and scores from separate files, put into the order of other labels.

// The labels of a file: of a data set, or of a table that holds labels only. A table whose first
// line lists the labels `expected` has a line of names, even where they look like numbers.
Dataset read_labels(const std::string& path, ReadOptions options,
                    const std::vector<std::string>& expected = {});

// The labels of a file, read with the same options but for its format, become the truth of the
// data. Rows go by id where both have ids, else by order. Error(Data) if its rows or labels are not
// those of the data.
void read_truth(Dataset& data, const std::string& path, ReadOptions options);

// The rows that scores or decisions must cover. Rows go by id where both sides have ids, else
// by order.
struct WantedRows {
  std::size_t count = 0;
  std::span<const std::string> ids{};  // one per row, or empty
};
// Scores or decisions for these rows, such as predict_files() writes, with a column for each of the
// `labels` in their order. Error(Data) if the rows, their numbers or the labels are others.
MatrixD read_scores(const std::string& path, const std::vector<std::string>& labels,
                    const WantedRows& rows);
LabelMatrix read_decisions(const std::string& path, const std::vector<std::string>& labels,
                           const WantedRows& rows, const ReadOptions& options);

// One name per line; blank lines are left out. Error(Data) if there is none.
std::vector<std::string> read_names(const std::string& path,
                                    FileSystem& files = FileSystem::real());

// Which of the `given` columns is each of the `wanted` labels: by name if both list the same names,
// by place if either has no names of its own. Error(Data) names the label that is missing.
std::vector<std::size_t> match_columns(const std::vector<std::string>& wanted,
                                       const std::vector<std::string>& given,
                                       const std::string& file);

// The labels of the data in the order of `names`. Error(Data) names the label that is missing.
void order_labels(Dataset& data, const std::vector<std::string>& names);

// A table of scores, rows x labels, with the names of the columns if the file has them.
struct ScoreTable {
  std::vector<std::string> names;
  std::vector<std::string> ids;  // one per row, or empty
  MatrixD values;
};

// The names in the first line of such a table: a column of ids where the rows have them, a column
// of row numbers, counted from 0, then a column for each label.
inline constexpr std::string_view kIdColumn = "id", kRowColumn = "row", kScoreMark = "score:";

// Reads the scores of `labels` (in any order) as CSV or TSV, plain or gzip, "-" for standard input,
// in double precision. The first line holds names if its columns are marked as above, if they are
// the labels, or one is not a number. Error(Data) with line and column for row numbers that are not
// 0, 1, 2, ..., a row of another length and anything that is not a finite number. Whether columns
// and rows are those of the truth is for the caller to compare.
ScoreTable read_score_table(const std::string& path, const std::vector<std::string>& labels,
                            FileSystem& files = FileSystem::real());

}  // namespace sieve
