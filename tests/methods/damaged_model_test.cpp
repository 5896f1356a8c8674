// Model files whose headers say something else than their numbers, with the right checksum: each is
// either taken and scores a row, or refused as a damaged model. Never more memory than such a small
// file can be worth.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "methods/quick_learner.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPreamble = 24, kChecksum = 4, kAlignment = 64;
constexpr std::uint64_t kRoom = std::uint64_t{512} << 20;  // bytes, beside what there is already

// While it lives, a request for much more memory fails. Sanitizers have the address space to
// themselves, and refuse such requests on their own.
class LittleMemory {
 public:
  LittleMemory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{pages * 4096 + kRoom, before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
#endif
  }
  ~LittleMemory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    setrlimit(RLIMIT_AS, &before_);
#endif
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

template <class Number>
Number number_at(const std::string& bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// A model file taken apart: its header, and what comes behind it.
struct OpenFile {
  explicit OpenFile(const std::string& bytes)
      : version(number_at<std::uint32_t>(bytes, 8)),
        header(Json::parse(bytes.substr(kPreamble, number_at<std::uint32_t>(bytes, 12)))) {
    for (const Json& tensor : header["tensors"]) {
      std::uint64_t values = 1;
      for (const Json& size : tensor["shape"]) values *= size.get<std::uint64_t>();
      const auto offset = tensor["offset"].get<std::size_t>();
      tensors.push_back(bytes.substr(offset, values * sizeof(float)));
    }
  }

  // With another header, and all lengths and the checksum right. Tensors stay behind it where the
  // header has as many as before and nothing else for their offsets.
  std::string sealed_with(Json changed) const {
    std::string payload;
    const std::size_t front = room_for_header();
    Json& list = changed["tensors"];
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const bool kept = list.is_array() && t < list.size() && list[t].is_object() &&
                        list[t].contains("offset") &&
                        list[t]["offset"] == header["tensors"][t]["offset"];
      if (kept) list[t]["offset"] = front + payload.size();
      payload += tensors[t];
      payload.resize((payload.size() + kAlignment - 1) / kAlignment * kAlignment);
    }
    std::string text = changed.dump();
    text.resize(std::max(text.size(), front - kPreamble), ' ');
    std::string bytes = "SIEVEMDL";
    const auto append = [&](auto value) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    append(version);
    append(static_cast<std::uint32_t>(text.size()));
    append(static_cast<std::uint64_t>(kPreamble + text.size() + payload.size() + kChecksum));
    bytes += text + payload;
    append(static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
    return bytes;
  }

  // A few bytes more than the header needs.
  std::size_t room_for_header() const {
    return (kPreamble + header.dump().size() + 1024) / kAlignment * kAlignment;
  }

  std::uint32_t version;
  Json header;
  std::vector<std::string> tensors;
};

// What each place of a header is set to.
std::vector<Json> instead_of(const Json& value) {
  std::vector<Json> out;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    out = {0, number + 1, number == 0 ? 0 : number - 1, 2 * number};
    for (const int bits : {16, 24, 30, 31, 32, 40, 62, 63})
      for (const std::uint64_t by : {std::uint64_t{0}, std::uint64_t{1}})
        out.emplace_back((std::uint64_t{1} << bits) - by);
    out.emplace_back(~std::uint64_t{0});
    out.emplace_back(-1);
  } else if (value.is_string()) {
    out = {"", "0", "18446744073709551615", "nan"};
  } else if (value.is_array() && !value.empty()) {
    Json shorter = value, longer = value;
    shorter.erase(shorter.size() - 1);
    longer.push_back(value.back());
    out = {shorter, longer, Json::array()};
  }
  return out;
}

// Calls use(changed) for the header with each of its places set to each extreme.
template <class Use>
void for_each_change(const Json& header, const Json::json_pointer& at, const Use& use) {
  const Json& here = header.at(at);
  for (const Json& value : instead_of(here)) {
    Json changed = header;
    changed.at(at) = value;
    use(changed, at.to_string() + " = " + value.dump());
  }
  if (here.is_array())
    for (std::size_t i = 0; i < here.size(); ++i) for_each_change(header, at / i, use);
  if (here.is_object())
    for (const auto& [key, value] : here.items()) for_each_change(header, at / key, use);
}

// "": taken, and it scores. Else how it was refused, by Error(Model) as it should be or otherwise.
std::string wrong_with(const std::string& bytes) {
  try {
    ModelState state = decode_state(bytes, StateKind::Model, "some.model");
    const MethodInfo* method = find_method(state.method);
    if (method == nullptr) return "";
    const auto model = method->load(std::move(state));
    ThreadPool pool(1);
    CsrMatrix row;
    row.cols = model->state().features;
    row.starts.resize(2);
    try {
      model->decide(model->scores(std::move(row), pool));
    } catch (const Error& error) {
      if (error.kind() != Failure::Data) throw;  // of such a row
    }
  } catch (const Error& error) {
    if (error.kind() != Failure::Model) return error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class DamagedModel : public ::testing::TestWithParam<std::string> {
 protected:
  static OpenFile model(bool with_names) {
    ThreadPool pool(1);
    Dataset data = make_synthetic({.rows = 40, .features = 5, .labels = 3, .noise = 0.5}, pool);
    if (!with_names) data.feature_names.clear();
    const MethodInfo& method = method_info(GetParam());
    Options options(method.options);
    for (const auto& [key, value] : {std::pair{"members", "1"},
                                     {"depth", "1"},
                                     {"width", "4"},
                                     {"epochs", "1"},
                                     {"trees", "3"}})
      if (options.values().contains(key)) options.set(key, value);
    const auto model = method.make(options)->fit(training_data(data), {});
    return OpenFile(encode_state(model->state(), StateKind::Model));
  }
};

TEST_P(DamagedModel, is_taken_with_the_header_it_had) {
  const OpenFile file = model(true);
  const std::string bytes = file.sealed_with(file.header);
  EXPECT_EQ(refusal([&] {
              method_info(GetParam()).load(decode_state(bytes, StateKind::Model, "some.model"));
            }),
            "");
}

TEST_P(DamagedModel, is_taken_or_refused_whatever_its_header_says) {
  for (const bool with_names : {true, false}) {
    const OpenFile file = model(with_names);
    const LittleMemory limit;
    std::size_t changes = 0;
    for_each_change(file.header, Json::json_pointer(),
                    [&](const Json& changed, const std::string& what) {
                      ++changes;
                      EXPECT_EQ(wrong_with(file.sealed_with(changed)), "") << what;
                    });
    EXPECT_GT(changes, 100U);
  }
}

// Sizes that agree with each other but not with the weights between them.
TEST_P(DamagedModel, takes_no_memory_for_weights_it_does_not_have) {
  const OpenFile file = model(false);
  ModelState state = decode_state(file.sealed_with(file.header), StateKind::Model, "some.model");
  constexpr std::size_t kMany = 100000;
  state.features = kMany;
  if (state.scaler.scaling != Scaling::None) {
    state.scaler.factor.resize(kMany);
    state.scaler.offset.resize(kMany);
  }
  for (Tensor& tensor : state.tensors)
    if (tensor.shape.size() == 1 && tensor.shape[0] != state.label_names.size())
      tensor.values.resize(tensor.shape[0] = kMany);
  const LittleMemory limit;
  EXPECT_EQ(wrong_with(encode_state(state, StateKind::Model)), "");
}

INSTANTIATE_TEST_SUITE_P(Methods, DamagedModel, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sieve::test
