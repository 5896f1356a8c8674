#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/streams.h"
#include "data/recipe/recipe.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "labelsieve/options.h"
#include "model_io/state_json.h"

namespace sieve {
namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr std::uint32_t kVersion = 3;        // categories may be compared as they are written
constexpr std::uint32_t kRecipeVersion = 2;  // there may be a recipe
constexpr std::uint32_t kPlainVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPreamble = 8 + 4 + 4 + 8;  // magic, version, header length, total length
constexpr std::size_t kChecksum = 4;
constexpr int kDeepestHeader = 8;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 40;
constexpr std::size_t kMostFeatures = std::numeric_limits<std::uint32_t>::max();  // as CsrMatrix

std::string_view magic(StateKind kind) {
  return kind == StateKind::Model ? "SIEVEMDL" : "SIEVECKP";
}

std::size_t aligned(std::size_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The lowest that will do, so that earlier programs read what they can.
std::uint32_t version_of(const ModelState& state) {
  if (!state.recipe) return kPlainVersion;
  const bool by_text = std::ranges::any_of(state.recipe->columns, [](const RecipeColumn& column) {
    return column.kind == RecipeColumn::Kind::Category && compares_text(column);
  });
  return by_text ? kVersion : kRecipeVersion;
}

std::string scaling_name(Scaling scaling) {
  return scaling == Scaling::MinMax        ? "minmax"
         : scaling == Scaling::Standardise ? "standard"
                                           : "none";
}

Json header_of(const ModelState& state) {
  Json header;
  header["tool"] = std::string("LabelSieve ") + version();
  header["method"] = state.method;
  header["options"] = state.options;
  header["notes"] = state.display_notes();  // earlier programs look for choices there
  header["choices"] = choices_json(state);
  header["features"] = state.features;
  header["feature_names"] = state.feature_names;
  header["label_names"] = state.label_names;
  header["scaling"] = scaling_name(state.scaler.scaling);
  if (state.recipe) header["recipe"] = recipe_json(*state.recipe);
  header["tensors"] = Json::array();
  return header;
}

std::string text_of(const Json& header) {
  try {
    return header.dump();
  } catch (const Json::exception&) {
    throw Error(Failure::Data, "the names of labels or features are not valid UTF-8", {},
                "a model cannot hold them: convert the data to UTF-8 first, e.g. with iconv");
  }
}

// The numbers of the scaler and of the recipe travel as more tensors.
std::vector<const Tensor*> all_tensors(const ModelState& state, std::vector<Tensor>& more) {
  if (state.scaler.scaling != Scaling::None)
    more = {{"scaler/factor", {state.scaler.factor.size()}, state.scaler.factor},
            {"scaler/offset", {state.scaler.offset.size()}, state.scaler.offset}};
  if (state.recipe)
    for (Tensor& tensor : recipe_tensors(*state.recipe)) more.push_back(std::move(tensor));
  std::vector<const Tensor*> all;
  for (const Tensor& tensor : more) all.push_back(&tensor);
  for (const Tensor& tensor : state.tensors) all.push_back(&tensor);
  return all;
}

// Reads a header that has passed the checksum but may still be made by somebody hostile.
class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ModelState read(std::size_t header_length) {
    const Json header = parse(bytes_.substr(kPreamble, header_length));
    ModelState state;
    try {
      member(header, "method").get_to(state.method);
      member(header, "options").get_to(state.options);
      member(header, "notes").get_to(state.notes);
      state.features = count(member(header, "features"));
      member(header, "feature_names").get_to(state.feature_names);
      check_features(state);
      member(header, "label_names").get_to(state.label_names);
      take_choices(state, header);
      for (const Json& entry : list(member(header, "tensors")))
        state.tensors.push_back(tensor(entry));
      take_scaler(state, member(header, "scaling").get<std::string>());
      if (header.contains("recipe")) {
        part_ = "recipe";
        state.recipe = recipe_of(header["recipe"], state);
      }
    } catch (const Json::exception&) {
      refuse("its header has a missing or invalid '" + part_ + "'");
    } catch (const RecipeProblem& problem) {
      refuse(problem.what());
    }
    return state;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Failure::Model, "not a usable file: " + why, {name_, 0, 0},
                "use another copy, or train again");
  }

 private:
  Json parse(std::string_view text) const {
    const auto shallow = [](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepestHeader) throw Error(Failure::Model, "nested too deeply");
      return true;
    };
    try {
      return Json::parse(text.begin(), text.end(), shallow);
    } catch (const Json::exception&) {
      refuse("its header is not JSON");
    } catch (const Error&) {
      refuse("its header is nested too deeply");
    }
  }

  const Json& member(const Json& object, const char* name) {
    part_ = name;
    return object.at(name);
  }
  // The library would turn -1 and 0.5 into some number, and null into an empty list.
  std::size_t count(const Json& value) const {
    if (!value.is_number_unsigned()) refuse("its header has a missing or invalid '" + part_ + "'");
    return value.get<std::size_t>();
  }
  const Json& list(const Json& value) const {
    if (!value.is_array()) refuse("its header has a missing or invalid '" + part_ + "'");
    return value;
  }

  void take_choices(ModelState& state, const Json& header) {
    if (!header.contains("choices")) return take_choices_from_notes(state);
    if (!take_choices_from_json(member(header, "choices"), state))
      refuse("its header has a missing or invalid '" + part_ + "'");
  }

  // Before anything is made of that size.
  void check_features(const ModelState& state) const {
    const std::size_t names = state.feature_names.size();
    if (state.features > kMostFeatures || (names != 0 && names != state.features))
      refuse("it has " + std::to_string(state.features) + " features and " + std::to_string(names) +
             " names for them");
  }

  Tensor tensor(const Json& entry) {
    Tensor out;
    member(entry, "name").get_to(out.name);
    for (const Json& size : list(member(entry, "shape"))) out.shape.push_back(count(size));
    const std::size_t offset = count(member(entry, "offset"));
    const std::size_t room = bytes_.size() - kChecksum;
    std::size_t values = 1;
    for (const std::size_t size : out.shape) {
      if (size != 0 && values > room / size)
        refuse("tensor '" + out.name + "' is larger than the file");
      values *= size;
    }
    if (offset % kAlignment != 0 || offset > room || values > (room - offset) / sizeof(float))
      refuse("tensor '" + out.name + "' lies outside the file");
    taken_ += values * sizeof(float);
    if (taken_ > room) refuse("its tensors overlap");
    out.values.resize(values);
    if (values != 0) std::memcpy(out.values.data(), bytes_.data() + offset, values * sizeof(float));
    for (const float value : out.values)
      if (!std::isfinite(value))
        refuse("tensor '" + out.name + "' holds a value that is not finite");
    return out;
  }

  void take_scaler(ModelState& state, const std::string& scaling) const {
    if (scaling == "none") return;
    if (scaling != "minmax" && scaling != "standard") refuse("unknown scaling '" + scaling + "'");
    state.scaler.scaling = scaling == "minmax" ? Scaling::MinMax : Scaling::Standardise;
    state.scaler.factor = state.tensor("scaler/factor").values;
    state.scaler.offset = state.tensor("scaler/offset").values;
    if (state.scaler.factor.size() != state.features ||
        state.scaler.offset.size() != state.features)
      refuse("its scaling does not fit its features");
    std::erase_if(state.tensors, [](const Tensor& t) { return t.name.starts_with("scaler/"); });
  }

  std::string_view bytes_;
  const std::string& name_;
  std::string part_;       // the member that is looked at
  std::size_t taken_ = 0;  // bytes of tensors so far
};

}  // namespace

const Tensor& ModelState::tensor(std::string_view name) const {
  for (const Tensor& tensor : tensors)
    if (tensor.name == name) return tensor;
  throw Error(Failure::Model, "the file has no tensor '" + std::string(name) + "'");
}

namespace {

// Hands the bytes of a file on to emit(bytes), in pieces, with the checksum at the end.
template <class Emit>
class Pieces {
 public:
  explicit Pieces(const Emit& emit) : emit_(emit) {}

  void add(std::string_view bytes) {
    if (bytes.empty()) return;  // zlib would begin a new checksum
    checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    size_ += bytes.size();
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPiece)))
      emit_(bytes.substr(0, kPiece));
  }
  template <class Number>
  void add_number(Number value) {
    add({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void add_zeros_up_to(std::size_t offset) { add(std::string(offset - size_, '\0')); }
  void add_checksum() { add_number(static_cast<std::uint32_t>(checksum_)); }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  const Emit& emit_;
  uLong checksum_ = 0;
  std::size_t size_ = 0;
};

template <class Emit>
void encode(const ModelState& state, StateKind kind, const Emit& emit) {
  std::vector<Tensor> more;
  const std::vector<const Tensor*> tensors = all_tensors(state, more);
  Json header = header_of(state);
  // Offsets depend on the header's length and the other way round: room for the widest number is
  // kept, so one pass with placeholders of that width settles it.
  constexpr std::size_t kWidest = 999999999999;
  for (const Tensor* tensor : tensors)
    header["tensors"].push_back(
        {{"name", tensor->name}, {"shape", tensor->shape}, {"offset", kWidest}});
  std::size_t offset = aligned(kPreamble + text_of(header).size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    header["tensors"][i]["offset"] = offset;
    offset = aligned(offset + tensors[i]->values.size() * sizeof(float));
  }
  const std::string text = text_of(header);

  Pieces pieces(emit);
  pieces.add(magic(kind));
  pieces.add_number(version_of(state));
  pieces.add_number(static_cast<std::uint32_t>(text.size()));
  pieces.add_number(static_cast<std::uint64_t>(offset + kChecksum));
  pieces.add(text);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    pieces.add_zeros_up_to(header["tensors"][i]["offset"].get<std::size_t>());
    pieces.add({reinterpret_cast<const char*>(tensors[i]->values.data()),
                tensors[i]->values.size() * sizeof(float)});
  }
  pieces.add_zeros_up_to(offset);
  pieces.add_checksum();
}

}  // namespace

std::string encode_state(const ModelState& state, StateKind kind) {
  std::string out;
  encode(state, kind, [&](std::string_view piece) { out += piece; });
  return out;
}

ModelState decode_state(const std::string& bytes, StateKind kind, const std::string& name) {
  HeaderReader reader(bytes, name);
  if (bytes.size() < kPreamble + kChecksum) reader.refuse("it is too short");
  if (!bytes.starts_with(magic(kind)))
    throw Error(Failure::Model,
                kind == StateKind::Model ? "this is not a model" : "this is not a checkpoint",
                {name, 0, 0},
                kind == StateKind::Model ? "the model comes first, then the data"
                                         : "leave it out to start from the beginning");
  const auto file_version = number_at<std::uint32_t>(bytes, 8);
  if (file_version > kVersion)
    reader.refuse("it was written by a newer version (format " + std::to_string(file_version) +
                  ")");
  if (number_at<std::uint64_t>(bytes, 16) != bytes.size())
    reader.refuse("it should have " + std::to_string(number_at<std::uint64_t>(bytes, 16)) +
                  " bytes but has " + std::to_string(bytes.size()));
  const std::string_view body(bytes.data(), bytes.size() - kChecksum);
  if (checksum(body) != number_at<std::uint32_t>(bytes, body.size()))
    reader.refuse("its checksum is wrong");
  const auto header_length = number_at<std::uint32_t>(bytes, 12);
  if (header_length > body.size() - kPreamble) reader.refuse("its header is longer than the file");
  return reader.read(header_length);
}

namespace {

// The bytes of a file of one of these kinds; of any other (it might never end) the first few.
std::string read_state(const std::string& path, FileSystem& files,
                       const std::vector<StateKind>& kinds) {
  std::unique_ptr<InputStream> in = files.open(path);
  std::string front = read_front(*in, kPreamble + kChecksum);
  if (std::ranges::none_of(kinds, [&](StateKind kind) { return front.starts_with(magic(kind)); }))
    return front;
  return read_all(*rewound(std::move(in), std::move(front)), kLargestFile, path);
}

}  // namespace

std::uint64_t save_state(const ModelState& state, StateKind kind, const std::string& path,
                         IfExists if_exists, FileSystem& files) {
  AtomicFile file(files, path, if_exists);
  encode(state, kind, [&](std::string_view piece) { file.write(piece); });
  file.commit();
  return file.written();
}

ModelState load_state(const std::string& path, StateKind kind, FileSystem& files) {
  return decode_state(read_state(path, files, {kind}), kind, path);
}

StateFile load_any_state(const std::string& path, FileSystem& files) {
  const std::vector<StateKind> kinds = {StateKind::Model, StateKind::Checkpoint};
  const std::string bytes = read_state(path, files, kinds);
  for (const StateKind kind : kinds)
    if (bytes.starts_with(magic(kind)))
      return {kind, decode_state(bytes, kind, path), bytes.size()};
  throw Error(Failure::Model, "neither a LabelSieve model nor a checkpoint", {path, 0, 0},
              "models come from: " + term("Learner::fit"));
}

std::uint64_t save_model(const Model& model, const std::string& path, IfExists if_exists,
                         FileSystem& files) {
  return save_state(model.state(), StateKind::Model, path, if_exists, files);
}

std::unique_ptr<Model> load_model(const std::string& path, FileSystem& files) {
  ModelState state = load_state(path, StateKind::Model, files);
  try {
    if (const MethodInfo* method = find_method(state.method)) return method->load(std::move(state));
  } catch (const Error& error) {
    throw Error(error.kind(), error.message(), {path, 0, 0}, "use another copy, or train again");
  }
  throw Error(
      Failure::Model,
      "it was written by the method '" + state.method + "', which this version does not have",
      {path, 0, 0}, "use the version of LabelSieve that wrote it");
}

}  // namespace sieve
