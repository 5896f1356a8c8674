#include "base/streams.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "labelsieve/error.h"

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

}  // namespace sieve
