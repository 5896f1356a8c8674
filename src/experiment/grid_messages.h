#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "experiment/plan.h"
#include "experiment/task.h"
#include "labelsieve/error.h"

namespace sieve {

// A value as bytes for a pipe or a message (CBOR), by the to_json() and from_json() of its type.
template <class T>
std::string pack(const T& value) {
  std::string bytes;
  nlohmann::json::to_cbor(value, bytes);
  return bytes;
}

// False if the bytes are not all of a T, such as those of a process that died. Deep nesting takes
// the stack up: for bytes of our own processes only.
template <class T>
bool unpack(const std::string& bytes, T& into) {
  try {
    nlohmann::json::from_cbor(bytes).get_to(into);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

// The messages between rank 0 and the ranks that work for it.

struct Hello {
  std::size_t rank = 0;
  std::string host;
  std::size_t jobs = 1;  // tasks it does at a time

  std::string name() const { return "rank " + std::to_string(rank) + " on " + host; }
};
std::string pack_hello(const Hello& hello);
Hello unpack_hello(const std::string& bytes);  // Error(Io) if they are no hello

// What a rank works with. Results of ranks with different views must not meet in one store.
struct RankView {
  std::string version, plan_hash;
  std::map<std::string, std::string> sets;  // fingerprint by name
};
RankView view_of(const Plan& plan, const DataSets& data);
// Error(Data), or Error(Usage) for another plan, that names the rank and what differs.
void require_same_view(const RankView& own, const RankView& other, const std::string& rank);

struct Message {
  enum class Kind {
    Ready,   // to rank 0: what I see
    Refuse,  // to rank 0: why I cannot work
    Task,    // from rank 0
    Result,  // to rank 0: the outcome of a task
    Stop     // from rank 0: no more work, perhaps because of an error
  };
  Kind kind = Kind::Stop;
  RankView view{};
  Failure failure{};   // 0: none
  std::string text{};  // what failed; the key of the task that ended
  std::string outcome{};
  Task task{};
};
std::string pack_message(const Message& message);
Message unpack_message(const std::string& bytes);  // Error(Io) if they are no message

}  // namespace sieve
