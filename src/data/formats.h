#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/data_io.h"

// One reader and one writer a format; data_io.cpp chooses among them. `path` names the file in
// messages (and finds the XML beside an ARFF file). The streams are unpacked already.
namespace sieve {

Dataset read_arff(InputStream& in, const std::string& path, const ReadOptions& options);
Dataset read_libsvm(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_libsvm_features(InputStream& in, const std::string& path,
                                 const ReadOptions& options, std::size_t rows_before,
                                 const TakeFeatures& take);
Dataset read_csv(InputStream& in, const std::string& path, const ReadOptions& options);
// Hands the set on in blocks of about that many cells, or whole where the labels come as lists.
void read_csv_blocks(InputStream& in, const std::string& path, const ReadOptions& options,
                     std::size_t cells_at_once, const std::function<void(Dataset&&)>& take);
std::size_t read_csv_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take);
Dataset read_binary(InputStream& in, const std::string& path, const ReadOptions& options);
Dataset read_mat(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_mat_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take);

void write_arff(const Dataset& data, OutputStream& out, const WriteOptions& options);
void write_libsvm(const Dataset& data, OutputStream& out, const WriteOptions& options);
void write_csv(const Dataset& data, OutputStream& out, const WriteOptions& options);
void write_binary(const Dataset& data, OutputStream& out, const WriteOptions& options);
void write_mat(const Dataset& data, OutputStream& out, const WriteOptions& options);

// Rows of features that can be had in any order.
struct RowSource {
  std::size_t rows, cols;
  std::vector<std::string> names;
  // Rows [first, last), on several threads at once. What `into` holds before is free for use.
  std::function<void(std::size_t first, std::size_t last, Features& into)> copy;
  std::function<void()> give_back;  // nothing that was looked at so far is needed again
};
// What read_features does with them. As those of that kind above, it gives the number of rows so
// far, those of the files before included.
std::size_t take_rows(const RowSource& source, ThreadPool* pool, std::size_t rows_before,
                      const TakeFeatures& take);
std::size_t take_features(const Features& features, std::vector<std::string> names,
                          ThreadPool* pool, std::size_t rows_before, const TakeFeatures& take);
// A dense matrix in `place`, in the memory of the one before where that fits: fresh memory for
// every block would cost as much as reading it. What it holds means nothing.
Matrix& dense_room(Features& place, std::size_t rows, std::size_t cols);

// The names under which write_arff writes the label attributes, for the XML beside the file.
std::vector<std::string> arff_label_names(const Dataset& data, const WriteOptions& options);

// Mulan's label list: <labels><label name="..."/>...</labels>, nested labels flattened.
std::vector<std::string> read_label_xml(InputStream& in, const std::string& path);
void write_label_xml(const std::vector<std::string>& names, OutputStream& out);

// ---- shared by the readers and writers ----------------------------------------------------------

// Puts the label columns of a table into the data set. Columns named "candidate:x" and "truth:x"
// say what they are (both must list the same labels; "truth:x" alone makes a clean set); "label:x"
// or a plain name is taken for `role`. Error(Data) for bad names, see check_names.
void set_labels(Dataset& data, LabelMatrix columns, std::vector<std::string> column_names,
                LabelRole role, const std::string& path);

// The reverse: which label columns to write, and their names. With options.labels == All:
//   no truth                  the candidates under their plain names
//   truth equals candidates   "truth:x" alone (a clean set)
//   else                      "candidate:x" for all labels, then "truth:x" for all
// Candidates or Truth: that matrix alone, under plain names; Error(Usage) if there is no truth.
struct LabelColumnsOut {
  std::vector<std::string> names;
  std::vector<const LabelMatrix*> matrices;  // each contributes all its labels, in order
};
LabelColumnsOut label_columns_to_write(const Dataset& data, const WriteOptions& options);

// Error(Data) for a name that is blank, repeated or longer than 4096 bytes. `what` is "label" or
// "feature".
void check_names(const std::vector<std::string>& names, const std::string& what,
                 const std::string& path);

// Refuses (Error(Data)) a label matrix and its names that would be out of proportion to the bytes
// read so far.
void check_label_budget(std::size_t rows, std::size_t labels, std::size_t bytes_read,
                        const std::string& path);

// "label1", "label2", ...
std::vector<std::string> numbered_names(const std::string& stem, std::size_t count);

}  // namespace sieve
