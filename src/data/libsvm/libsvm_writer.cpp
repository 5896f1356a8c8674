#include "data/feature_entries.h"
#include "data/formats.h"
#include "data/label_columns.h"
#include "data/libsvm/libsvm_rows.h"
#include "data/text/text_writer.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

const LabelMatrix& labels_to_write(const Dataset& data, const WriteOptions& options) {
  const LabelColumnsOut columns = label_columns_to_write(data, options);
  if (columns.matrices.size() == 1) return *columns.matrices.front();
  throw Error(Failure::Usage, "a LIBSVM file holds candidates or true labels, not both", {},
              "choose with " + term("labels", "candidates") + " or " + term("labels", "truth"));
}

void write_row(const Features& features, const LabelMatrix& labels, std::size_t i,
               TextWriter& out) {
  bool first = true;
  labels.for_each(i, [&](std::size_t label) {
    if (!first) out << ',';
    first = false;
    out << label;
  });
  bool empty = first;
  for_each_nonzero(features, i, [&](std::size_t column, float value) {
    out << ' ' << column + 1 << ':' << value;
    empty = false;
  });
  // An empty line is no row. Other tools need a field, which there is none of without features.
  if (empty) out << (features.cols() == 0 ? " " : " 1:0");
}

}  // namespace

void write_libsvm(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  const LabelMatrix& labels = labels_to_write(data, options);
  TextWriter text(out);
  text << to_string(LibsvmSize{data.features.cols(), labels.labels()});
  text.end_line();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    write_row(data.features, labels, i, text);
    text.end_line();
  }
  text.flush();
}

}  // namespace sieve
