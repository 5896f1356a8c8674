#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file_lock.h"
#include "base/json.h"
#include "base/team_work.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/model_io.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

// A checkpoint is read again and replaced, which a pipe or a device does not allow.
std::string place_of(const std::string& path) {
  const Destination to = FileSystem::real().destination(path);
  if (to.kind == Destination::Kind::Stream)
    throw Error(Failure::Io, "a checkpoint cannot be kept in a pipe or a device", {path, 0, 0},
                "name a file");
  return to.path;
}

}  // namespace

FileCheckpoints::FileCheckpoints(const std::string& path, double seconds)
    : path_(place_of(path)),
      lock_(std::make_unique<FileLock>(path_, "training",
                                       "wait for its end, or choose other names for the outputs")),
      between_(seconds) {
  AtomicFile(FileSystem::real(), path_, IfExists::Replace);
}

FileCheckpoints::~FileCheckpoints() = default;

bool FileCheckpoints::due() const {
  return Clock::now() - last_ >= between_;
}

void FileCheckpoints::save(const ModelState& state) {
  save_state(state, StateKind::Checkpoint, path_, IfExists::Replace);
  last_ = Clock::now();
}

void FileCheckpoints::remove() {
  if (FileSystem::real().exists(path_)) FileSystem::real().remove(path_);
}

std::optional<ModelState> shared_checkpoint(Team& team, const std::optional<ModelState>& mine) {
  const std::string bytes =
      from_first_rank(team, mine ? encode_state(*mine, StateKind::Checkpoint) : "");
  if (bytes.empty()) return std::nullopt;
  return decode_state(bytes, StateKind::Checkpoint, "the checkpoint of rank 0");
}

EpochLog::EpochLog(std::string path, Open how) : path_(std::move(path)) {
  if (how == Open::New && FileSystem::real().destination(path_).kind == Destination::Kind::Regular)
    throw Error(Failure::Io, "the log exists already", {path_, 0, 0},
                "choose another name, or give " + term("if_exists", "replace"));
  out_.open(path_, how == Open::Append ? std::ios::app : std::ios::trunc);
  if (!out_)
    throw Error(Failure::Io, "the log cannot be written", {path_, 0, 0},
                "check the folder and its permissions");
}

void EpochLog::add(std::size_t epoch, const EpochReport& report) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  Json::Members members = {{"epoch", epoch}, {"seconds", seconds}};
  for (const auto& [name, value] : report) members.emplace_back(name, value);
  out_ << Json::object(members).text() << std::endl;
  if (!out_) throw Error(Failure::Io, "the log could not be written", {path_, 0, 0});
}

namespace {

constexpr std::uint64_t kLargestLog = 1U << 30U;
constexpr std::size_t kLongestLine = 1U << 16U;  // also bounds how deep brackets may nest

Error refusal(const std::string& path, std::size_t line) {
  return {Failure::Data,
          "this is not a line of a training log",
          {path, line, 0},
          "give the file that " + term("EpochLog") + " wrote: one JSON object of numbers a line"};
}

bool reports_the_same(const nlohmann::json& epoch, const EpochHistory& history) {
  return std::ranges::equal(
      epoch.items(), history.columns,
      [](const auto& item, const auto& column) { return item.key() == column.name; });
}

void add_epoch(const nlohmann::json& epoch, std::vector<EpochHistory>& stretches) {
  if (stretches.empty() || !reports_the_same(epoch, stretches.back())) {
    stretches.emplace_back();
    for (const auto& item : epoch.items()) stretches.back().columns.push_back({item.key(), {}});
  }
  ++stretches.back().epochs;
  for (EpochHistory::Column& column : stretches.back().columns) {
    const nlohmann::json& value = epoch[column.name];
    column.values.push_back(value.is_number() ? value.get<double>() : NAN);
  }
}

bool is_line_of_log(const nlohmann::json& epoch) {
  return epoch.is_object() && std::ranges::all_of(epoch, [](const nlohmann::json& value) {
           return value.is_number() || value.is_null();
         });
}

}  // namespace

const EpochHistory::Column* EpochHistory::find(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<EpochHistory> read_epoch_log(const std::string& path) {
  const auto file = open_unpacked(FileSystem::real(), path);
  std::istringstream lines(read_all(*file, kLargestLog, path));
  std::vector<EpochHistory> stretches;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.size() > kLongestLine) throw refusal(path, number);
    const nlohmann::json epoch = nlohmann::json::parse(line, nullptr, false);
    if (!is_line_of_log(epoch)) throw refusal(path, number);
    add_epoch(epoch, stretches);
  }
  if (stretches.empty())
    throw Error(Failure::Data, "the training log is empty", {path, 0, 0},
                "leave " + term("log") + " out");
  return stretches;
}

}  // namespace sieve
