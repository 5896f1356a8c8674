#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace sieve {

// Why something failed. The value is the exit code of the command `sieve`.
enum class Failure {
  Internal = 1,     // a bug of ours
  Usage = 2,        // an argument or a configuration makes no sense
  Data = 3,         // an input file was read and refused
  Model = 4,        // a model or checkpoint file was refused
  Io = 5,           // the environment failed: missing file, permission, full disk
  Training = 6,     // a training diverged or collapsed
  Interrupted = 7,  // stopped on request after a good checkpoint
  Check = 8,        // a check that was asked for did not hold
  Undecided = 9,    // a check that was asked for needs more decisions
};

// Where in the input. Lines and columns count from 1; 0 means "not known".
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

// "file:line:column", leaving out what is not known.
std::string to_string(const Place& place);

// What went wrong, where, and what to do about it; what() is all three in one readable text. Beside
// it the library throws OverMemory (threads.h) for lack of memory, and whatever bugs throw.
class Error : public std::runtime_error {
 public:
  Error(Failure kind, std::string message, Place where = {}, std::string hint = {});

  Failure kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }
  const std::string& message() const { return message_; }
  const Place& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  Failure kind_;
  std::string message_;
  Place where_;
  std::string hint_;
};

// Error(Data): a row whose features are so large that a model has no finite scores for it.
class NotFinite : public Error {
 public:
  // `row` counts from 0 among the rows that were asked about, the message from 1; `id` is the name
  // of the row, if it has one.
  NotFinite(std::size_t row, std::string reason, const std::string& id = {});

  std::size_t row() const { return row_; }
  const std::string& reason() const { return reason_; }  // without the row

 private:
  std::size_t row_;
  std::string reason_;
};

// What ask() gives. If it refuses a row, that row is called by its place among all: these are rows
// first, first + 1 and so on, with these names, if any.
template <class Ask>
auto ask_of_block(std::size_t first, std::span<const std::string> ids, Ask&& ask) {
  try {
    return std::forward<Ask>(ask)();
  } catch (const NotFinite& refused) {
    const std::size_t row = refused.row();
    throw NotFinite(first + row, refused.reason(), row < ids.size() ? ids[row] : "");
  }
}

// The same, where the rows that ask() is about are these of all.
template <class Ask>
auto ask_of_rows(std::span<const std::size_t> rows, Ask&& ask) {
  try {
    return std::forward<Ask>(ask)();
  } catch (const NotFinite& refused) {
    throw NotFinite(rows[refused.row()], refused.reason());
  }
}

// "major.minor.patch" of the library in use.
const char* version();

}  // namespace sieve
