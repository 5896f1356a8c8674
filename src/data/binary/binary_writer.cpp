#include "data/binary/binary_writer.h"

#include <algorithm>

#include "data/binary/binary.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

using binary::Shape;

template <class T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

void append_names(std::string& out, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto length = static_cast<std::uint32_t>(name.size());
    out += bytes_of(&length, 1);
    out += name;
  }
}

}  // namespace

BinaryWriter::BinaryWriter(OutputStream& out, WriteOptions::Labels labels)
    : out_(out), labels_(labels) {
  const std::uint64_t version = binary::kVersion;
  put(binary::kMagic);
  put_values(&version, 1);
  align();
}

void BinaryWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), binary::kBlock - block_.size());
    block_ += bytes.substr(0, piece);
    bytes.remove_prefix(piece);
    if (block_.size() < binary::kBlock) return;
    checksums_.push_back(binary::checksum(block_));
    out_.write(block_);
    written_ += block_.size();
    block_.clear();
  }
}

template <class T>
void BinaryWriter::put_values(const T* values, std::size_t count) {
  put(bytes_of(values, count));
}

void BinaryWriter::align() {
  const std::size_t at = written_ + block_.size();
  put(std::string(binary::aligned(at) - at, '\0'));
}

void BinaryWriter::begin(const Dataset& first) {
  begun_ = true;
  shape_.features = first.features.cols();
  shape_.labels = first.labels();
  label_names_ = first.label_names;
  feature_names_ = first.feature_names;
  const bool with_truth = labels_ == WriteOptions::Labels::All && first.truth;
  shape_.flags = (first.features.is_sparse() ? binary::kSparse : 0) |
                 (with_truth ? binary::kTruth : 0) |
                 (feature_names_.empty() ? 0 : binary::kFeatureNames);
}

void BinaryWriter::add(const Dataset& block) {
  if (labels_ == WriteOptions::Labels::Truth && !block.truth)
    throw Error(Failure::Usage, "the data set has no true labels", {},
                "write its candidates instead");
  if (!begun_)
    begin(block);
  else if (shape_.has(binary::kSparse))
    throw Error(Failure::Internal, "sparse features in more than one block");
  const Features features = block.features.plain();
  if (features.is_sparse()) {
    const CsrMatrix& x = features.sparse();
    shape_.entries = x.nonzeros();
    put_values(x.starts.data(), x.starts.size());
    align();
    put_values(x.columns.data(), x.columns.size());
    align();
    put_values(x.values.data(), x.values.size());
  } else {
    const Matrix& x = features.dense();
    for (std::size_t first = 0; first < x.rows(); first += kWindowRows) {
      put_values(x.data() + first * x.stride(),
                 std::min(kWindowRows, x.rows() - first) * x.stride());
      features.give_back();
    }
  }
  shape_.rows += block.rows();
  add_labels(labels_ == WriteOptions::Labels::Truth ? *block.truth : block.candidates, candidates_);
  if (shape_.has(binary::kTruth)) add_labels(*block.truth, truth_);
}

void BinaryWriter::add_labels(const LabelMatrix& labels, Array<std::uint64_t>& words) {
  for (std::size_t i = 0; i < labels.rows(); ++i) words.append(labels.words(i));
}

std::string BinaryWriter::footer() const {
  std::string out(bytes_of(&shape_, 1));
  out += bytes_of(checksums_.data(), checksums_.size());
  append_names(out, label_names_);
  append_names(out, feature_names_);
  return out;
}

void BinaryWriter::finish() {
  align();
  put_values(candidates_.data(), candidates_.size());
  align();
  put_values(truth_.data(), truth_.size());
  align();
  if (!block_.empty()) checksums_.push_back(binary::checksum(block_));
  out_.write(block_);
  written_ += block_.size();

  const std::string text = footer();
  const std::uint64_t trailer[] = {written_, written_ + text.size() + binary::kTrailer,
                                   binary::checksum(text)};
  out_.write(text);
  out_.write(bytes_of(trailer, std::size(trailer)));
  out_.write(binary::kEndMagic);
}

void write_binary(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  BinaryWriter writer(out, options.labels);
  writer.add(data);
  writer.finish();
}

}  // namespace sieve
