#pragma once

#include <string>
#include <vector>

#include "data/question.h"
#include "labelsieve/data_io.h"

// What the columns of data and annotations are taken for.
namespace sieve {

// Only somebody who knows the data can say.
inline constexpr std::string_view kUnclearRole = "?";

struct ColumnRole {
  std::string column;
  std::string role;     // one of role_names(), or kUnclearRole
  std::string reason;   // why, in a few words; of an unclear one, what is to be decided
  std::string example;  // the first value that is not empty
  bool of_annotations = false;
};

// Something that the files do not tell. Without answers, nothing was found that may be right.
struct OpenQuestion {
  std::string message;
  std::vector<ReadAnswer> answers;  // the likeliest first
};

struct RoleTable {
  std::vector<ColumnRole> columns{};  // of the data, then of the annotations, as in the files
  std::vector<OpenQuestion> open{};
  std::vector<SettingValue> settings{};  // beside the roles: {"labels.separator", "|"}
  // What there is, read so.
  std::size_t rows = 0, labels = 0, annotators = 0, annotations = 0;

  // The call with the likeliest answer to each question; "" where one has no answer.
  std::string likeliest_call() const;
};

// "id", "annotator", "label" (yes or no to one label), "labels" (lists them), "text", "image", ...
const std::vector<std::string>& role_names();

// Puts an answer into the options. Error(Data) where they cannot have it.
void take_answer(ReadOptions& options, const ReadAnswer& answer);

// Reads the files as read_dataset() does, takes the likeliest answer where a question is asked, and
// tells what each column was taken for. Of several files, the first of the data and the first of
// the annotations. Error(Usage) for a format without columns that have names; any other error of
// reading.
RoleTable guess_roles(const std::vector<std::string>& paths, const ReadOptions& options);

// The same of files that cannot be read so: what the data are without the annotations, and the
// columns of these by their names. The message is what is open, and the other columns are unclear.
RoleTable roles_by_names(const std::vector<std::string>& paths, const ReadOptions& options,
                         const std::string& message);

// As read_dataset_with_texts(), but where nothing says which columns of a table are labels, a
// ReadQuestion names those that may be.
Dataset read_or_ask(const std::vector<std::string>& paths, const ReadOptions& options,
                    bool guess_texts);

// All questions that reading the files asks, each with the likeliest answers to those before.
// `guess_texts` as in read_dataset_with_texts().
std::vector<OpenQuestion> open_questions(const std::vector<std::string>& paths,
                                         const ReadOptions& options, bool guess_texts);

}  // namespace sieve
