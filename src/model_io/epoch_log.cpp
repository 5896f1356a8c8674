#include "labelsieve/model_io.h"

#include <utility>

#include "base/json.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/words.h"

namespace sieve {

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

}  // namespace sieve
