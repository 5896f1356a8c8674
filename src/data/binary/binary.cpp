#include "data/formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "data/binary/binary_format.h"
#include "data/file_content.h"
#include "data/ids.h"
#include "data/label_columns.h"
#include "labelsieve/error.h"
#include "linalg/paging.h"

namespace sieve {
namespace {

using binary::Section;

constexpr std::size_t kFreeFeatures = std::size_t{1} << 25;  // that a file of any size may have
constexpr std::size_t kBlocksAtOnce = 64;                    // looked at, then given back

class BinaryReader {
 public:
  BinaryReader(FileContent content, const std::string& path, ThreadPool& pool)
      : content_(std::move(content)), bytes_(content_.bytes), path_(path), pool_(pool) {}

  Dataset read() {
    find_footer();
    take(&shape_, 1);
    std::vector<std::uint64_t> checksums(take_count(binary::block_count(begin_)));
    take(checksums.data(), checksums.size());
    if (shape_.has(binary::kIds | binary::kVotes)) take(&extras_, 1);
    if (shape_.has(binary::kUnsure)) take(&more_extras_, 1);
    const binary::Layout layout = checked_layout();
    check_blocks(layout, checksums);
    Dataset data;
    data.label_names = take_names(shape_.labels);
    if (shape_.has(binary::kFeatureNames)) data.feature_names = take_names(shape_.features);
    std::vector<std::string> annotators = take_names(extras_.annotators);
    if (!footer_.empty()) refuse("its names do not match their size");
    check_names(data.label_names, "label", path_);
    if (shape_.has(binary::kSparse))
      data.features = sparse(layout);
    else
      data.features = Matrix(shape_.rows, shape_.features, values_of<float>(layout.dense));
    data.candidates = labels(layout.candidates);
    if (shape_.has(binary::kTruth)) data.truth = labels(layout.truth);
    if (shape_.has(binary::kIds)) data.ids = ids(layout);
    if (shape_.has(binary::kVotes))
      data.votes = std::make_shared<const Votes>(votes(layout, std::move(annotators)));
    return data;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Failure::Data, "the binary data file is damaged: " + why, {path_, 0, 0},
                "copy it again, or convert its source again");
  }

  // ---- the footer ------------------------------------------------------------------------------

  void find_footer() {
    if (bytes_.size() < binary::kAlignment + sizeof(binary::Shape) + binary::kTrailer ||
        !bytes_.ends_with(binary::kEndMagic))
      refuse("it is truncated, or its end is damaged");
    footer_ = bytes_.substr(8, 8);
    std::uint64_t version = 0, trailer[3];
    take(&version, 1);
    if (!bytes_.starts_with(binary::kMagic) || version == 0) refuse("its beginning is wrong");
    if (version > binary::kVersion)
      refuse(fmt::format("it was written by a newer version (format {})", version));
    footer_ = bytes_.substr(bytes_.size() - binary::kTrailer);
    take(trailer, 3);
    const std::size_t limit = bytes_.size() - binary::kTrailer;
    if (trailer[1] != bytes_.size())
      refuse(fmt::format("it should have {} bytes but has {}", trailer[1], bytes_.size()));
    if (trailer[0] > limit) refuse("its footer lies outside");
    begin_ = trailer[0];
    footer_ = bytes_.substr(begin_, limit - begin_);
    if (binary::checksum(footer_) != trailer[2]) refuse("the checksum of its footer is wrong");
  }

  template <class T>
  void take(T* into, std::size_t count) {
    if (footer_.size() / sizeof(T) < count) refuse("its footer is too short");
    std::copy_n(footer_.data(), count * sizeof(T), reinterpret_cast<char*>(into));
    footer_.remove_prefix(count * sizeof(T));
  }

  // A number of 8-byte words that the footer has room for.
  std::size_t take_count(std::size_t count) const {
    if (count > footer_.size() / sizeof(std::uint64_t)) refuse("its footer is too short");
    return count;
  }

  std::vector<std::string> take_names(std::size_t count) {
    if (count > footer_.size() / sizeof(std::uint32_t)) refuse("its footer is too short");
    std::vector<std::string> names(count);
    for (std::string& name : names) {
      std::uint32_t length = 0;
      take(&length, 1);
      if (length > footer_.size()) refuse("its footer is too short");
      name.resize(length);
      take(name.data(), length);
    }
    return names;
  }

  binary::Layout checked_layout() const {
    if ((shape_.flags & ~binary::kAllFlags) != 0)
      refuse("it has sections this version does not know");
    const binary::Layout layout(shape_, extras_, more_extras_);
    const bool votes = shape_.has(binary::kVotes);
    if (shape_.has(binary::kUnsure | binary::kKinds) && !votes)
      refuse("its sections do not match their sizes");
    if (layout.end != begin_ || (shape_.entries != 0 && !shape_.has(binary::kSparse)) ||
        (extras_.id_bytes != 0 && !shape_.has(binary::kIds)) ||
        ((extras_.annotators | extras_.annotations | extras_.ticks) != 0 && !votes))
      refuse("its sections do not match their sizes");
    if (shape_.features > kFreeFeatures + 4 * bytes_.size())
      refuse("its features are out of proportion to the file");
    return layout;
  }

  // ---- the content -----------------------------------------------------------------------------

  // Dense rows are checked with the block that they end in: then it is in the cache.
  void check_blocks(const binary::Layout& layout, const std::vector<std::uint64_t>& wanted) {
    for (std::size_t first = 0; first < wanted.size(); first += kBlocksAtOnce) {
      pool_.for_each(std::min(kBlocksAtOnce, wanted.size() - first), [&](std::size_t i) {
        const std::size_t from = (first + i) * binary::kBlock;
        const std::size_t size = std::min(binary::kBlock, layout.end - from);
        if (binary::checksum(bytes_.substr(from, size)) != wanted[first + i])
          refuse(fmt::format("the checksum of its bytes {} to {} is wrong", from, from + size));
        if (!shape_.has(binary::kSparse)) check_dense_rows(layout.dense, from, from + size);
      });
      content_.give_back(first * binary::kBlock, kBlocksAtOnce * binary::kBlock);
    }
  }

  // Right checksums say that nothing changed, not that it made sense.
  [[noreturn]] void refuse_row(std::size_t row) const {
    refuse(fmt::format("row {} (from 0) has invalid values", row));
  }

  void check_dense_rows(const Section& dense, std::size_t from, std::size_t to) const {
    constexpr std::uint32_t kNotFinite = 0x7f800000;
    const std::size_t cols = shape_.features, stride = padded_stride(cols);
    const auto ended = [&](std::size_t place) {
      const std::size_t bytes = std::min(std::max(place, dense.offset) - dense.offset, dense.size);
      return bytes / (stride * sizeof(float));
    };
    const auto* numbers = reinterpret_cast<const std::uint32_t*>(bytes_.data() + dense.offset);
    for (std::size_t i = ended(from); i < ended(to); ++i) {
      const std::uint32_t* row = numbers + i * stride;
      std::uint32_t bad = 0;
      for (std::size_t j = 0; j < cols; ++j) bad |= (row[j] & kNotFinite) == kNotFinite;
      for (std::size_t j = cols; j < stride; ++j) bad |= row[j];
      if (bad != 0) refuse_row(i);
    }
  }

  void for_rows(const Features& x, const std::function<bool(std::size_t)>& is_good) const {
    for (std::size_t first = 0; first < x.rows(); first += kWindowRows) {
      pool_.for_blocks(std::min(kWindowRows, x.rows() - first), 1024,
                       [&](std::size_t begin, std::size_t end) {
                         for (std::size_t i = first + begin; i < first + end; ++i)
                           if (!is_good(i)) refuse_row(i);
                       });
      give_back(x);
    }
  }

  template <class T>
  Array<T> values_of(const Section& section) const {
    return content_.values<T>(section.offset, section.size);
  }

  Features sparse(const binary::Layout& layout) const {
    CsrMatrix matrix{shape_.features, values_of<std::uint64_t>(layout.starts),
                     values_of<std::uint32_t>(layout.columns), values_of<float>(layout.values)};
    const Array<std::uint64_t>& starts = matrix.starts;
    if (starts[0] != 0 || starts[shape_.rows] != shape_.entries ||
        !std::ranges::is_sorted(std::as_const(starts)))
      refuse("its rows overlap or leave gaps");
    Features x = std::move(matrix);
    const CsrMatrix& rows = std::as_const(x).sparse();
    for_rows(x, [&](std::size_t i) {
      const CsrMatrix::Row row = rows.row(i);
      std::size_t next = 0;
      for (std::size_t k = 0; k < row.columns.size(); next = row.columns[k++] + std::size_t{1})
        if (row.columns[k] < next || row.columns[k] >= shape_.features ||
            !std::isfinite(row.values[k]) || std::bit_cast<std::uint32_t>(row.values[k]) == 0)
          return false;
      return true;
    });
    return x;
  }

  LabelMatrix labels(const Section& section) const {
    LabelMatrix out(shape_.rows, shape_.labels);
    if (section.size == 0) return out;
    std::memcpy(out.words(0).data(), bytes_.data() + section.offset, section.size);
    content_.give_back(section.offset, section.size);
    const std::uint64_t unused =
        shape_.labels % 64 == 0 ? 0 : ~std::uint64_t{0} << (shape_.labels % 64);
    for (std::size_t i = 0; i < out.rows(); ++i)
      if ((std::as_const(out).words(i).back() & unused) != 0)
        refuse(fmt::format("row {} (from 0) has labels beyond the last", i));
    return out;
  }

  // ---- ids and votes ---------------------------------------------------------------------------

  // Where parts of a section begin, and behind them all its end.
  Array<std::uint64_t> starts_of(const Section& section, std::uint64_t end) const {
    Array<std::uint64_t> starts = values_of<std::uint64_t>(section);
    const auto& numbers = std::as_const(starts);
    if (numbers[0] != 0 || numbers[numbers.size() - 1] != end || !std::ranges::is_sorted(numbers))
      refuse("its votes overlap or leave gaps");
    return starts;
  }

  std::vector<std::string> ids(const binary::Layout& layout) const {
    const Array<std::uint64_t> ends = values_of<std::uint64_t>(layout.id_ends);
    const std::string_view text = bytes_.substr(layout.ids.offset, layout.ids.size);
    std::vector<std::string> out;
    std::size_t from = 0;
    for (std::size_t row = 0; row < shape_.rows; from = ends[row++]) {
      if (ends[row] <= from || ends[row] > text.size())
        refuse(fmt::format("row {} (from 0) has no valid id", row));
      out.emplace_back(text.substr(from, ends[row] - from));
    }
    if (from != text.size()) refuse("its ids do not match their size");
    check_ids(out, path_);
    return out;
  }

  Votes votes(const binary::Layout& layout, std::vector<std::string> annotators) const {
    const Array<std::uint64_t> annotations =
        starts_of(layout.first_annotations, extras_.annotations);
    const Array<std::uint64_t> ticks = starts_of(layout.first_ticks, extras_.ticks);
    const Array<std::uint32_t> annotator = values_of<std::uint32_t>(layout.annotators);
    const Array<std::uint32_t> ticked = values_of<std::uint32_t>(layout.ticked);
    if (shape_.rows > 0xffffffff) refuse("it has votes on too many rows");
    check_names(annotators, "person", path_);
    const Array<std::uint8_t> grades = values_of<std::uint8_t>(layout.grades);
    VoteCollector votes;
    for (std::size_t row = 0; row < shape_.rows; ++row)
      for (std::size_t annotation = annotations[row], next = 0; annotation < annotations[row + 1];
           ++annotation) {
        if (annotator[annotation] < next || annotator[annotation] >= annotators.size())
          refuse_row(row);
        next = annotator[annotation] + std::size_t{1};
        if (ticks[annotation] == ticks[annotation + 1])
          votes.annotate(static_cast<std::uint32_t>(row), annotator[annotation]);
        for (std::size_t tick = ticks[annotation], least = 0; tick < ticks[annotation + 1];
             ++tick) {
          if (ticked[tick] < least || ticked[tick] >= shape_.labels) refuse_row(row);
          least = ticked[tick] + std::size_t{1};
          votes.tick(static_cast<std::uint32_t>(row), annotator[annotation], ticked[tick],
                     grades.size() > 0 ? grades.data()[tick] : std::uint8_t{0});
        }
      }
    if (shape_.has(binary::kUnsure)) add_unsure(layout, annotations, annotator, votes);
    const std::size_t count = annotators.size();
    Votes out = votes.finish(shape_.rows, std::move(annotators));
    if (shape_.has(binary::kUnsure) &&
        (out.unsure() != more_extras_.unsure || out.ticks() != extras_.ticks))
      refuse("some votes are both ticks and unsure");
    if (shape_.has(binary::kKinds)) declare_kinds(layout, count, out);
    return out;
  }

  void add_unsure(const binary::Layout& layout, const Array<std::uint64_t>& annotations,
                  const Array<std::uint32_t>& annotator, VoteCollector& votes) const {
    const Array<std::uint64_t> starts = starts_of(layout.first_unsure, more_extras_.unsure);
    const Array<std::uint32_t> labels = values_of<std::uint32_t>(layout.unsure);
    for (std::size_t row = 0; row < shape_.rows; ++row)
      for (std::size_t annotation = annotations[row]; annotation < annotations[row + 1];
           ++annotation)
        for (std::size_t k = starts[annotation], least = 0; k < starts[annotation + 1]; ++k) {
          if (labels[k] < least || labels[k] >= shape_.labels) refuse_row(row);
          least = labels[k] + std::size_t{1};
          votes.unsure(static_cast<std::uint32_t>(row), annotator[annotation], labels[k]);
        }
  }

  void declare_kinds(const binary::Layout& layout, std::size_t count, Votes& votes) const {
    const Array<binary::AnnotatorKind> kinds = values_of<binary::AnnotatorKind>(layout.kinds);
    std::vector<std::uint32_t> groups;
    std::vector<std::uint8_t> programs;
    for (std::size_t a = 0; a < count; ++a) {
      const auto [group, program] = kinds[a];
      if (program > 1 || (group != kNoGroup && group > count))
        refuse("an annotator is of no known kind");
      groups.push_back(group);
      programs.push_back(static_cast<std::uint8_t>(program));
    }
    votes.declare(std::move(groups), std::move(programs));
  }

  FileContent content_;
  std::string_view bytes_, footer_;  // the footer: what is not taken yet
  std::size_t begin_ = 0;            // of the footer
  const std::string& path_;
  ThreadPool& pool_;
  binary::Shape shape_;
  binary::Extras extras_;
  binary::MoreExtras more_extras_;
};

}  // namespace

Likeness looks_like_binary(std::string_view front) {
  return front.starts_with(binary::kMagic) ? Likeness::Surely : Likeness::No;
}

Dataset read_binary(InputStream& in, const std::string& path, const ReadOptions& options) {
  ThreadPool alone(1);
  ThreadPool& pool = options.threads != nullptr ? *options.threads : alone;
  Dataset data =
      BinaryReader(file_content(in, path, *options.files, {binary::kMagic}), path, pool).read();
  if (!data.truth && options.role == LabelRole::Truth) data.truth = data.candidates.clone();
  return data;
}

}  // namespace sieve
