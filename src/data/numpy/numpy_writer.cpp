#include <zlib.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "data/formats.h"
#include "data/label_columns.h"
#include "data/text/utf.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

using Emit = std::function<void(std::string_view)>;

template <class T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

std::string npy_header(const std::string& type, const std::string& shape) {
  constexpr std::size_t kAlignment = 64, kBefore = 10;
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  text.resize((kBefore + text.size() + kAlignment) / kAlignment * kAlignment - kBefore - 1, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

// A ZIP file whose members are stored as they are, written from front to back. Lengths take 64 bits
// (ZIP64), so that any size will do.
class StoredZip {
 public:
  explicit StoredZip(OutputStream& out) : out_(out) {}

  // `content` hands on the same bytes each time it is called.
  void add(const std::string& name, const std::function<void(const Emit&)>& content) {
    Member member{name, 0, 0, written_};
    uLong checksum = crc32_z(0, nullptr, 0);
    content([&](std::string_view bytes) {
      if (bytes.empty()) return;  // zlib would begin a new checksum
      checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
      member.size += bytes.size();
    });
    member.checksum = static_cast<std::uint32_t>(checksum);
    put(number<4>(0x04034b50) + shared_part(member) + number<2>(name.size()) + number<2>(20) +
        name + number<2>(1) + number<2>(16) + number<8>(member.size) + number<8>(member.size));
    content([&](std::string_view bytes) { put(bytes); });
    members_.push_back(std::move(member));
  }

  void finish() {
    const std::uint64_t begin = written_;
    for (const Member& member : members_)
      put(number<4>(0x02014b50) + number<2>(45) + shared_part(member) +
          number<2>(member.name.size()) + number<2>(28) + std::string(2 + 2 + 2 + 4, '\0') +
          number<4>(kIn64) + member.name + number<2>(1) + number<2>(24) + number<8>(member.size) +
          number<8>(member.size) + number<8>(member.offset));
    const std::uint64_t end = written_, count = members_.size();
    put(number<4>(0x06064b50) + number<8>(44) + number<2>(45) + number<2>(45) + number<4>(0) +
        number<4>(0) + number<8>(count) + number<8>(count) + number<8>(end - begin) +
        number<8>(begin));
    put(number<4>(0x07064b50) + number<4>(0) + number<8>(end) + number<4>(1));
    put(number<4>(0x06054b50) + number<4>(0) + number<2>(count) + number<2>(count) +
        number<4>(kIn64) + number<4>(kIn64) + number<2>(0));
  }

 private:
  static constexpr std::uint32_t kIn64 = 0xffffffff;  // the true length stands in the ZIP64 part
  struct Member {
    std::string name;
    std::uint64_t size = 0;
    std::uint32_t checksum = 0;
    std::uint64_t offset = 0;
  };

  template <std::size_t bytes>
  static std::string number(std::uint64_t value) {
    std::string text(bytes, '\0');
    std::memcpy(text.data(), &value, bytes);
    return text;
  }
  // What both descriptions of a member have: version 4.5, UTF-8 names, stored, 1980-01-01.
  static std::string shared_part(const Member& member) {
    return number<2>(45) + number<2>(0x800) + number<2>(0) + number<2>(0) + number<2>(0x21) +
           number<4>(member.checksum) + number<4>(kIn64) + number<4>(kIn64);
  }
  void put(std::string_view bytes) {
    out_.write(bytes);
    written_ += bytes.size();
  }

  OutputStream& out_;
  std::uint64_t written_ = 0;
  std::vector<Member> members_;
};

template <class T>
void add_list(StoredZip& zip, const std::string& name, const std::string& type, const T* values,
              std::size_t count) {
  zip.add(name + ".npy", [&](const Emit& emit) {
    emit(npy_header(type, fmt::format("({},)", count)));
    emit(bytes_of(values, count));
  });
}

void add_texts(StoredZip& zip, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<std::u32string> points;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    const auto decoded = code_points_of_utf8(text);
    if (!decoded || decoded->ends_with(U'\0'))
      throw Error(Failure::Usage, "the names are not valid UTF-8", {},
                  "NumPy cannot hold them: convert the data to UTF-8 first");
    points.push_back(*decoded);
    longest = std::max(longest, decoded->size());
  }
  zip.add(name + ".npy", [&](const Emit& emit) {
    emit(npy_header(fmt::format("<U{}", longest), fmt::format("({},)", texts.size())));
    for (std::u32string text : points) {
      text.resize(longest);
      emit(bytes_of(text.data(), longest));
    }
  });
}

void add_labels(StoredZip& zip, const std::string& name, const LabelMatrix& labels) {
  zip.add(name + ".npy", [&](const Emit& emit) {
    emit(npy_header("|b1", fmt::format("({}, {})", labels.rows(), labels.labels())));
    std::string row(labels.labels(), '\0');
    for (std::size_t i = 0; i < labels.rows(); ++i) {
      row.assign(row.size(), '\0');
      labels.for_each(i, [&](std::size_t k) { row[k] = 1; });
      emit(row);
    }
  });
}

void add_dense(StoredZip& zip, const Features& x) {
  zip.add("X.npy", [&](const Emit& emit) {
    emit(npy_header("<f4", fmt::format("({}, {})", x.rows(), x.cols())));
    std::vector<float> row(x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      x.copy_row(i, row);
      emit(bytes_of(row.data(), row.size()));
    }
  });
}

// As scipy.sparse.save_npz does it.
void add_sparse(StoredZip& zip, const CsrMatrix& x) {
  const std::uint64_t shape[] = {x.rows(), x.cols};
  std::vector<std::int64_t> starts(x.rows() + 1), columns(x.columns.begin(), x.columns.end());
  std::copy(x.starts.begin(), x.starts.end(), starts.begin());
  add_list(zip, "indices", "<i8", columns.data(), columns.size());
  add_list(zip, "indptr", "<i8", starts.data(), starts.size());
  zip.add("format.npy", [](const Emit& emit) {
    emit(npy_header("|S3", "()"));
    emit("csr");
  });
  add_list(zip, "shape", "<i8", shape, 2);
  add_list(zip, "data", "<f4", x.values.data(), x.values.size());
}

}  // namespace

void write_numpy(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  const LabelColumnsOut labels = label_columns_to_write(data, options);
  StoredZip zip(out);
  if (data.features.is_sparse())
    add_sparse(zip, data.features.to_sparse());
  else
    add_dense(zip, data.features);
  const bool both = labels.matrices.size() == 2;
  const bool clean = options.labels == WriteOptions::Labels::All && data.truth && !both;
  add_labels(zip, clean ? "truth" : "candidates", *labels.matrices[0]);
  if (both) add_labels(zip, "truth", *labels.matrices[1]);
  add_texts(zip, "label_names", data.label_names);
  if (!data.feature_names.empty()) add_texts(zip, "feature_names", data.feature_names);
  if (!data.ids.empty()) add_texts(zip, "ids", data.ids);
  zip.finish();
}

}  // namespace sieve
