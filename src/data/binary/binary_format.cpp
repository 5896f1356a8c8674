#include "data/binary/binary_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "data/formats.h"
#include "data/ids.h"
#include "labelsieve/error.h"
#include "labelsieve/matrix.h"
#include "linalg/paging.h"

namespace sieve::binary {
namespace {

constexpr std::size_t kTooMuch = std::size_t{1} << 56;
constexpr std::size_t kLanes = 8;
constexpr std::uint64_t kFactor = 0x9FB21C651E98DF25U, kStart = 0x9E3779B97F4A7C15U;

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kTooMuch : std::min(out, kTooMuch);
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  return std::rotl((state ^ word) * kFactor, 31);
}

}  // namespace

Layout::Layout(const Shape& shape, const Extras& extras, const MoreExtras& more) : end(kAlignment) {
  const auto place = [&](std::size_t count, std::size_t width) {
    const Section section{end, product(count, width)};
    end = std::min(aligned(end + section.size), kTooMuch);
    return section;
  };
  const std::size_t rows = std::min<std::size_t>(shape.rows, kTooMuch);
  const std::size_t words = product(rows, shape.labels / 64 + (shape.labels % 64 != 0));
  if (shape.has(kSparse)) {
    starts = place(rows + 1, sizeof(std::uint64_t));
    columns = place(shape.entries, sizeof(std::uint32_t));
    values = place(shape.entries, sizeof(float));
  } else {
    const std::size_t cols = std::min<std::size_t>(shape.features, kTooMuch);
    dense = place(product(rows, padded_stride(cols)), sizeof(float));
  }
  candidates = place(words, sizeof(std::uint64_t));
  truth = place(shape.has(kTruth) ? words : 0, sizeof(std::uint64_t));
  if (shape.has(kIds)) {
    id_ends = place(rows, sizeof(std::uint64_t));
    ids = place(extras.id_bytes, 1);
  }
  if (shape.has(kVotes)) {
    first_annotations = place(rows + 1, sizeof(std::uint64_t));
    annotators = place(extras.annotations, sizeof(std::uint32_t));
    first_ticks =
        place(std::min<std::size_t>(extras.annotations, kTooMuch) + 1, sizeof(std::uint64_t));
    ticked = place(extras.ticks, sizeof(std::uint32_t));
  }
  if (shape.has(kUnsure)) {
    first_unsure =
        place(std::min<std::size_t>(extras.annotations, kTooMuch) + 1, sizeof(std::uint64_t));
    unsure = place(more.unsure, sizeof(std::uint32_t));
  }
  if (shape.has(kKinds)) kinds = place(extras.annotators, sizeof(AnnotatorKind));
  if (shape.has(kGrades)) grades = place(extras.ticks, 1);
}

std::uint64_t checksum(std::string_view bytes) {
  std::array<std::uint64_t, kLanes> state, words;
  for (std::size_t l = 0; l < kLanes; ++l) state[l] = kStart + l;
  const std::size_t length = bytes.size();
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), sizeof(words));
    if (piece < sizeof(words)) words.fill(0);
    std::memcpy(words.data(), bytes.data(), piece);
    for (std::size_t l = 0; l < kLanes; ++l) state[l] = mixed(state[l], words[l]);
    bytes.remove_prefix(piece);
  }
  std::uint64_t sum = length;
  for (const std::uint64_t lane : state) sum = mixed(sum, lane);
  return sum ^ (sum >> 32);
}

}  // namespace sieve::binary

namespace sieve {
namespace {

using binary::Shape;

template <class T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

void append_names(std::string& out, std::span<const std::string> names) {
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
                 (feature_names_.empty() ? 0 : binary::kFeatureNames) |
                 (first.ids.empty() ? 0 : binary::kIds) | (first.votes ? binary::kVotes : 0);
  votes_ = first.votes;
  if (votes_ && votes_->unsure() != 0) shape_.flags |= binary::kUnsure;
  if (votes_ && votes_->graded()) shape_.flags |= binary::kGrades;
  if (votes_ && (!votes_->groups().empty() || votes_->has_programs()))
    shape_.flags |= binary::kKinds;
}

void BinaryWriter::add(const Dataset& block) {
  if (labels_ == WriteOptions::Labels::Truth && !block.truth)
    throw Error(Failure::Usage, "the data set has no true labels", {},
                "write its candidates instead");
  if (!begun_)
    begin(block);
  else if (shape_.has(binary::kSparse) || votes_)
    throw Error(Failure::Internal, "sparse features or votes in more than one block");
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
      give_back(features);
    }
  }
  shape_.rows += block.rows();
  ids_.insert(ids_.end(), block.ids.begin(), block.ids.end());
  add_labels(labels_ == WriteOptions::Labels::Truth ? *block.truth : block.candidates, candidates_);
  if (shape_.has(binary::kTruth)) add_labels(*block.truth, truth_);
}

void BinaryWriter::add_labels(const LabelMatrix& labels, Array<std::uint64_t>& words) {
  for (std::size_t i = 0; i < labels.rows(); ++i) words.append(labels.words(i));
}

void BinaryWriter::put_ids() {
  check_ids(ids_, {});
  for (const std::string& id : ids_) {
    extras_.id_bytes += id.size();
    put_values(&extras_.id_bytes, 1);
  }
  align();
  for (const std::string& id : ids_) put(id);
  align();
}

void BinaryWriter::put_votes() {
  const Votes& votes = *votes_;
  extras_.annotators = votes.annotators().size();
  extras_.annotations = votes.annotations();
  extras_.ticks = votes.ticks();
  const auto put_number = [&](std::uint64_t number) { put_values(&number, 1); };
  for (std::size_t row = 0; row <= votes.rows(); ++row) put_number(votes.first_annotation(row));
  align();
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation) {
    const std::uint32_t annotator = votes.annotator(annotation);
    put_values(&annotator, 1);
  }
  align();
  std::uint64_t ticks = 0;
  put_number(ticks);
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    put_number(ticks += votes.ticked(annotation).size());
  align();
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    put_values(votes.ticked(annotation).data(), votes.ticked(annotation).size());
  align();
  if (shape_.has(binary::kUnsure)) {
    more_extras_.unsure = votes.unsure();
    std::uint64_t unsure = 0;
    put_number(unsure);
    for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
      put_number(unsure += votes.unsure(annotation).size());
    align();
    for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
      put_values(votes.unsure(annotation).data(), votes.unsure(annotation).size());
    align();
  }
  if (shape_.has(binary::kKinds)) {
    for (std::size_t a = 0; a < votes.annotators().size(); ++a) {
      const binary::AnnotatorKind kind{votes.groups().empty() ? kNoGroup : votes.groups()[a],
                                       votes.is_program(a) ? 1U : 0U};
      put_values(&kind, 1);
    }
    align();
  }
  if (!shape_.has(binary::kGrades)) return;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    put_values(votes.grades(annotation).data(), votes.grades(annotation).size());
  align();
}

std::string BinaryWriter::footer() const {
  std::string out(bytes_of(&shape_, 1));
  out += bytes_of(checksums_.data(), checksums_.size());
  if (shape_.has(binary::kIds | binary::kVotes)) out += bytes_of(&extras_, 1);
  if (shape_.has(binary::kUnsure)) out += bytes_of(&more_extras_, 1);
  append_names(out, label_names_);
  append_names(out, feature_names_);
  if (votes_) append_names(out, votes_->annotators());
  return out;
}

void BinaryWriter::finish() {
  align();
  put_values(candidates_.data(), candidates_.size());
  align();
  put_values(truth_.data(), truth_.size());
  align();
  if (shape_.has(binary::kIds)) put_ids();
  if (votes_) put_votes();
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
