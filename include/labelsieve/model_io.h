#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "labelsieve/files.h"
#include "labelsieve/learner.h"

namespace sieve {

// What a file is meant to be. The two are told apart by their first bytes.
enum class StateKind { Model, Checkpoint };

// The bytes of docs/formats/model.md. Error(Data) if a name is not UTF-8.
std::string encode_state(const ModelState& state, StateKind kind);

// Any byte string either decodes or is refused with Error(Model) naming `name`. Memory is bounded
// by the size of `bytes`.
ModelState decode_state(const std::string& bytes, StateKind kind, const std::string& name);

// A file that appears only when complete; its bytes.
std::uint64_t save_state(const ModelState& state, StateKind kind, const std::string& path,
                         IfExists if_exists, FileSystem& files = FileSystem::real());
ModelState load_state(const std::string& path, StateKind kind,
                      FileSystem& files = FileSystem::real());

// A file of either kind, told by its first bytes. Error(Model) if they say neither.
struct StateFile {
  StateKind kind{};
  ModelState state;
  std::uint64_t bytes = 0;
};
StateFile load_any_state(const std::string& path, FileSystem& files = FileSystem::real());

// Writes a model file, which appears only when complete; gives its size in bytes.
std::uint64_t save_model(const Model& model, const std::string& path,
                         IfExists if_exists = IfExists::Refuse,
                         FileSystem& files = FileSystem::real());
// Reads a model file and hands it to the method that wrote it.
std::unique_ptr<Model> load_model(const std::string& path, FileSystem& files = FileSystem::real());

}  // namespace sieve
