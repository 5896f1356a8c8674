#include "experiment/outcome.h"

#include <bit>
#include <charconv>
#include <optional>

namespace sieve {
namespace {

// Each part is its length, a colon and its bytes.
class Packer {
 public:
  void text(const std::string& value) { bytes += std::to_string(value.size()) + ":" + value; }
  void whole(std::uint64_t value) { text(std::to_string(value)); }
  void real(double value) { whole(std::bit_cast<std::uint64_t>(value)); }
  std::string bytes;
};

// Once something is missing, `good` is false and all that follows is empty.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::string text() {
    std::size_t size = 0;
    const auto [colon, error] = std::from_chars(at_, end_, size);
    good = good && error == std::errc() && colon != end_ && *colon == ':' &&
           static_cast<std::size_t>(end_ - colon - 1) >= size;
    if (!good) return {};
    at_ = colon + 1 + size;
    return {colon + 1, size};
  }
  std::uint64_t whole() {
    const std::string digits = text();
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  double real() { return std::bit_cast<double>(whole()); }
  bool at_end() const { return good && at_ == end_; }

  bool good = true;

 private:
  const char* at_;
  const char* end_;
};

}  // namespace

std::string pack_outcome(const Result& result) {
  Packer out;
  out.whole(result.done() ? 1 : 0);
  out.text(result.reason);
  for (const double value : {result.seconds, result.fit_seconds, result.candidates})
    out.real(value);
  for (const std::uint64_t value :
       {result.peak_bytes, std::uint64_t{result.train_rows}, std::uint64_t{result.test_rows},
        std::uint64_t{result.features}, std::uint64_t{result.labels}})
    out.whole(value);
  out.whole(result.measures.size());
  for (const auto& [name, value] : result.measures) {
    out.text(name);
    out.real(value);
  }
  return out.bytes;
}

bool unpack_outcome(const std::string& bytes, Result& result) {
  Unpacker in(bytes);
  result.status = in.whole() == 1 ? Result::Status::Done : Result::Status::Failed;
  result.reason = in.text();
  for (double* value : {&result.seconds, &result.fit_seconds, &result.candidates})
    *value = in.real();
  result.peak_bytes = in.whole();
  for (std::size_t* value :
       {&result.train_rows, &result.test_rows, &result.features, &result.labels})
    *value = in.whole();
  result.measures.clear();
  for (std::uint64_t left = in.whole(); left > 0 && in.good; --left) {
    std::string name = in.text();
    result.measures.emplace_back(std::move(name), in.real());
  }
  return in.at_end();
}

}  // namespace sieve
