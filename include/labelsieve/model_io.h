#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/files.h"
#include "labelsieve/learner.h"

namespace sieve {

// What a file is meant to be. Their first bytes differ.
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

// A file of either kind, known by its first bytes. Error(Model) if they say neither.
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

class FileLock;

// Keeps the newest checkpoint of a training in a file that is always complete, and keeps other
// trainings away from it.
class FileCheckpoints final : public CheckpointSink {
 public:
  // One is due every `seconds`; 0 means at every opportunity. Error(Io) if the file
  // cannot be written, or another training keeps its own there.
  FileCheckpoints(const std::string& path, double seconds);
  ~FileCheckpoints() override;

  bool due() const override;
  void save(const ModelState& state) override;
  // The training is finished.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  std::unique_ptr<FileLock> lock_;
  std::chrono::duration<double> between_;
  Clock::time_point last_ = Clock::now();
};

// The checkpoint that rank 0 has, if any, on every rank of the team.
std::optional<ModelState> shared_checkpoint(Team& team, const std::optional<ModelState>& mine);

// A log with one JSON object per epoch, each written as it comes.
class EpochLog {
 public:
  enum class Open { New, Replace, Append };
  // Error(Io) if the file cannot be written, or exists and should be new.
  EpochLog(std::string path, Open how);
  void add(std::size_t epoch, const EpochReport& report);

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  std::ofstream out_;
  Clock::time_point start_ = Clock::now();
};

// A stretch of a training in which every epoch reported the same things.
struct EpochHistory {
  struct Column {
    std::string name;
    std::vector<double> values;  // one per epoch; NaN for what was not a number
  };
  std::size_t epochs = 0;
  std::vector<Column> columns;  // by name

  const Column* find(const std::string& name) const;  // null if there is none
};

// Reads what an EpochLog wrote, one stretch after the other: a method that compares networks first
// may report other things when it trains the chosen ones. Error(Data) with the line for anything
// but one flat JSON object of numbers per line.
std::vector<EpochHistory> read_epoch_log(const std::string& path);

// Models as ONNX files, for runtimes that know nothing of LabelSieve.

// A graph (opset 13, for forests ai.onnx.ml 2, too) from `features`, float [rows, columns], to
// `scores`, float [rows, labels], `probabilities` of the same shape, as Model::probabilities() has
// them, and `labels`, int64 [rows, labels]: 1 where the model decides for a label. Any number of
// rows. Scaling is part of it; where the model was trained on a table with
// missing values, its columns are those of the table, and NaN is a missing value. The metadata
// tells method, version, names of columns and labels, and the decision rule with its thresholds.
// Linear methods, networks, forests and blends of them can be written. Error(Model) names what
// cannot: kernels, votes of pairs, columns of text or categories, more than 2 GiB. Takes a few
// times the memory of the model.
std::string encode_onnx(const Model& model);

// Of a model whose labels are classes that exclude each other: what they are, one per label, as
// numbers or as names; one of the two is empty. The graph then leads to `label`, int64 or string
// [rows], the most probable class, and to `probabilities`, whose rows sum to 1. Error(Usage) for
// another number of classes.
struct OnnxClasses {
  std::vector<std::int64_t> numbers{};
  std::vector<std::string> names{};
};
std::string encode_onnx(const Model& model, const OnnxClasses& classes);

// Writes that to a file, which appears only when complete; gives its size in bytes.
std::uint64_t export_onnx(const Model& model, const std::string& path,
                          IfExists if_exists = IfExists::Refuse,
                          FileSystem& files = FileSystem::real());

}  // namespace sieve
