#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "data/arff/arff_header.h"
#include "data/formats.h"
#include "data/label_columns.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

// As it is where that is safe, else between single quotes.
std::string quoted(const std::string& text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else {
      if (c == '\'' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "'";
}

std::vector<std::string> feature_names(const Dataset& data) {
  return data.feature_names.empty() ? numbered_names("feature", data.features.cols())
                                    : data.feature_names;
}

// The names of the label attributes.
std::vector<std::string> label_attributes(const Dataset& data, const WriteOptions& options) {
  const std::vector<std::string> features = feature_names(data);
  const std::unordered_set<std::string> taken(features.begin(), features.end());
  std::vector<std::string> names = label_columns_to_write(data, options).names;
  const bool plain = names == data.label_names;
  for (std::string& name : names) {
    // "label:" is cut off when the file is read: it tells a label from a feature of the same name,
    // and a name that begins like one of our prefixes from such a prefix.
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    if (plain &&
        (taken.contains(name) || begins("label:") || begins("candidate:") || begins("truth:")))
      name.insert(0, "label:");
    if (taken.contains(name))
      throw Error(Failure::Usage, "a feature and a label are both named '" + name + "'", {},
                  "rename the feature");
  }
  return names;
}

class ArffWriter {
 public:
  ArffWriter(const Dataset& data, OutputStream& out, const WriteOptions& options)
      : data_(data),
        columns_(label_columns_to_write(data, options)),
        sparse_(options.sparse || data.features.is_sparse()),
        out_(out) {
    columns_.names = label_attributes(data, options);
  }

  void write() {
    header();
    for (std::size_t i = 0; i < data_.rows(); ++i) {
      if (sparse_)
        sparse_row(i);
      else
        dense_row(i);
      out_.end_line();
    }
    out_.flush();
  }

 private:
  void header() {
    const std::string count = std::to_string(columns_.names.size());
    const std::string set = std::filesystem::path(data_.name).filename().string();
    out_ << "@relation " << quoted(set + ": -C -" + count);
    out_.end_line();
    out_.end_line();
    for (const std::string& name : feature_names(data_)) attribute(name, "numeric");
    for (const std::string& name : columns_.names) attribute(name, "{0,1}");
    out_.end_line();
    out_ << "@data";
    out_.end_line();
  }

  void attribute(const std::string& name, std::string_view type) {
    out_ << "@attribute " << quoted(name) << ' ' << type;
    out_.end_line();
  }

  void dense_row(std::size_t i) {
    char before = 0;
    const auto separate = [&] {
      if (before != 0) out_ << before;
      before = ',';
    };
    for_each_entry(data_.features, i, [&](std::size_t, float value) { separate(), out_ << value; });
    for (const LabelMatrix* matrix : columns_.matrices)
      for (std::size_t k = 0; k < matrix->labels(); ++k)
        separate(), out_ << (matrix->get(i, k) ? '1' : '0');
  }

  void sparse_row(std::size_t i) {
    char before = '{';
    const auto entry = [&](std::size_t index) -> TextWriter& {
      out_ << before << index << ' ';
      before = ',';
      return out_;
    };
    for_each_nonzero(data_.features, i, [&](std::size_t j, float value) { entry(j) << value; });
    std::size_t first = data_.features.cols();
    for (const LabelMatrix* matrix : columns_.matrices) {
      matrix->for_each(i, [&](std::size_t k) { entry(first + k) << '1'; });
      first += matrix->labels();
    }
    out_ << (before == '{' ? "{}" : "}");
  }

  const Dataset& data_;
  LabelColumnsOut columns_;
  bool sparse_;
  TextWriter out_;
};

}  // namespace

void write_arff(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  ArffWriter(data, out, options).write();
}

void write_arff_labels(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  write_label_xml(label_attributes(data, options), out);
}

}  // namespace sieve
