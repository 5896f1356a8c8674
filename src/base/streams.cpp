#include "base/streams.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve {
namespace {

class Rewound final : public InputStream {
 public:
  Rewound(std::unique_ptr<InputStream> below, std::string front)
      : below_(std::move(below)), front_(std::move(front)) {}

  std::size_t read(char* into, std::size_t size) override {
    if (given_ == front_.size()) return below_->read(into, size);
    const std::size_t part = std::min(size, front_.size() - given_);
    std::memcpy(into, front_.data() + given_, part);
    given_ += part;
    return part;
  }

 private:
  std::unique_ptr<InputStream> below_;
  std::string front_;
  std::size_t given_ = 0;
};

class Reading final : public InputStream {
 public:
  explicit Reading(std::string_view text) : rest_(text) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t part = rest_.copy(into, size);
    rest_.remove_prefix(part);
    return part;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::unique_ptr<InputStream> reading(std::string_view text) {
  return std::make_unique<Reading>(text);
}

std::string read_front(InputStream& in, std::size_t size) {
  std::string front(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const std::size_t more = in.read(front.data() + got, size - got);
    if (more == 0) break;
    got += more;
  }
  front.resize(got);
  return front;
}

std::unique_ptr<InputStream> rewound(std::unique_ptr<InputStream> in, std::string front) {
  return std::make_unique<Rewound>(std::move(in), std::move(front));
}

std::string read_all(InputStream& in, std::uint64_t limit, const std::string& name) {
  std::string all, block(std::size_t{1} << 16, '\0');
  while (const std::size_t got = in.read(block.data(), block.size())) {
    if (all.size() + got > limit)
      throw Error(Failure::Data, "larger than the " + std::to_string(limit) + " bytes allowed here",
                  {name, 0, 0});
    all.append(block, 0, got);
  }
  return all;
}

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip framing

class Unpacked final : public InputStream {
 public:
  Unpacked(std::unique_ptr<InputStream> below, std::string path, std::string head)
      : below_(std::move(below)), path_(std::move(path)), packed_(std::move(head)) {
    offer_packed();
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacked() override { inflateEnd(&stream_); }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  std::size_t read(char* into, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(size, 1U << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_member_) refuse("the gzip data ends too early");
        return 0;
      }
      if (!inside_member_) {
        inflateReset(&stream_);
        inside_member_ = true;
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END)
        inside_member_ = false;
      else if (result != Z_OK)
        refuse(stream_.msg != nullptr ? stream_.msg : "not valid gzip data");
    }
    return wanted - stream_.avail_out;
  }

 private:
  static constexpr std::size_t kBlock = 1U << 16;

  void offer_packed() {
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(packed_.size());
  }
  bool refill() {
    packed_.resize(kBlock);
    packed_.resize(below_->read(packed_.data(), kBlock));
    offer_packed();
    return !packed_.empty();
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Failure::Data, "damaged gzip file: " + why, {path_, 0, 0},
                "copy or download the file again");
  }

  std::unique_ptr<InputStream> below_;
  std::string path_, packed_;
  z_stream stream_{};
  bool inside_member_ = true;
};

class Packed final : public OutputStream {
 public:
  explicit Packed(OutputStream& below) : below_(below) {
    if (deflateInit2(&stream_, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Packed() override { deflateEnd(&stream_); }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::size_t part = std::min<std::size_t>(bytes.size(), 1U << 30);
      pack(bytes.substr(0, part), Z_NO_FLUSH);
      bytes.remove_prefix(part);
    }
  }
  void sync() override { below_.sync(); }
  void close() override {
    if (!std::exchange(closed_, true)) pack({}, Z_FINISH);
  }

 private:
  void pack(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 1U << 16> out;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      deflate(&stream_, flush);
      below_.write({out.data(), out.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  OutputStream& below_;
  z_stream stream_{};
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<InputStream> unpacked(std::unique_ptr<InputStream> in, const std::string& path) {
  std::string head = read_front(*in, 2);
  if (head == "\x1f\x8b") return std::make_unique<Unpacked>(std::move(in), path, std::move(head));
  return rewound(std::move(in), std::move(head));
}

std::unique_ptr<InputStream> open_unpacked(FileSystem& files, const std::string& path) {
  require_one_version(files, path);
  return unpacked(files.open(path), path);
}

std::string_view unpacked_name(std::string_view path) {
  const bool packed = path.size() > 3 && (path.ends_with(".gz") || path.ends_with(".GZ")) &&
                      path[path.size() - 4] != '/';
  return packed ? path.substr(0, path.size() - 3) : path;
}

std::unique_ptr<OutputStream> gzip_into(OutputStream& below) {
  return std::make_unique<Packed>(below);
}

}  // namespace sieve
