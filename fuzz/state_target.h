#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/model_io.h"
#include "labelsieve/threads.h"

// What the targets of models and checkpoints share.
namespace sieve::fuzz {

// The stated length and the checksum made right: else hardly any input would get past them.
inline void seal_state(std::string& bytes) {
  if (bytes.size() < 28) return;
  const std::uint64_t length = bytes.size();
  std::memcpy(bytes.data() + 16, &length, sizeof length);
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  const auto sum = static_cast<std::uint32_t>(crc32_z(0, data, bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &sum, sizeof sum);
}

// A model that its method takes must score a row.
inline void use_model(ModelState state) {
  for (const MethodInfo& method : all_methods()) {
    if (method.name != state.method) continue;
    const std::size_t features = state.features;
    const std::unique_ptr<Model> model = method.load(std::move(state));
    if (features > 10000 || model->state().label_names.size() > 10000) return;
    ThreadPool pool(1);
    const Matrix scores = model->scores(Matrix(1, features), pool);
    if (scores.rows() != 1 || scores.cols() != model->state().label_names.size()) std::abort();
    return;
  }
}

// Decodes or is refused; what was decoded is written and decoded again, and is the same.
inline void read_state(StateKind kind, std::string bytes) {
  for (int sealed = 0; sealed < 2; ++sealed, seal_state(bytes)) {
    try {
      ModelState state = decode_state(bytes, kind, "input");
      const std::string once = encode_state(state, kind);
      if (encode_state(decode_state(once, kind, "input"), kind) != once) std::abort();
      if (kind == StateKind::Model) use_model(std::move(state));
    } catch (const Error&) {
    }
  }
}

}  // namespace sieve::fuzz
