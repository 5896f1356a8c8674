#include "experiment/outcome.h"

#include "base/packer.h"

namespace sieve {

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
