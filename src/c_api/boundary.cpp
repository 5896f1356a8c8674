#include "c_api/boundary.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include <fmt/format.h>

#include "base/setting_names.h"
#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {
namespace {

struct LastError {
  std::string message, hint;
};
thread_local LastError last_error;

int noted(Failure kind, std::string message, std::string hint = {}) {
  last_error = {std::move(message), std::move(hint)};
  return static_cast<int>(kind);
}

int noted_exception() {
  try {
    throw;
  } catch (const Error& error) {
    std::string where = to_string(error.where());
    if (!where.empty()) where += ": ";
    return noted(error.kind(), where + error.message(), error.hint());
  } catch (const OverMemory& error) {
    return noted(error.by_limit() ? Failure::Data : Failure::Internal, error.what());
  } catch (const std::bad_alloc&) {
    return noted(Failure::Internal, "not enough memory for this");
  } catch (const std::filesystem::filesystem_error& error) {
    return noted(Failure::Io, error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    return noted(Failure::Internal,
                 std::string("internal error, please report it: ") + error.what());
  } catch (...) {
    return noted(Failure::Internal, "internal error, please report it");
  }
}

WordTable& words_of_all() {
  static WordTable words;
  return words;
}

std::string word_of_all(const Term& term) {
  return named_by(words_of_all(), term);
}

WordTable word_table(const char* const* terms, const char* const* words, std::size_t count) {
  const std::vector<std::string> named = texts_of(terms, count, "terms");
  const std::vector<std::string> said = texts_of(words, count, "words");
  WordTable table;
  for (std::size_t i = 0; i < count; ++i) table[named[i]] = said[i];
  return table;
}

}  // namespace

int guarded(const std::function<void()>& work) noexcept {
  try {
    last_error = {};
    work();
    return LS_OK;
  } catch (...) {
    try {
      return noted_exception();
    } catch (...) {  // no memory for the message
      return LS_INTERNAL;
    }
  }
}

void require_argument(const void* pointer, const char* name) {
  if (pointer == nullptr)
    throw Error(Failure::Usage, std::string("the argument '") + name + "' is missing");
}

void require_array(const void* array, std::size_t count, const char* name) {
  if (count != 0) require_argument(array, name);
}

std::vector<std::string> texts_of(const char* const* texts, std::size_t count, const char* name) {
  require_array(texts, count, name);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr)
      throw Error(Failure::Usage, fmt::format("text {} of the argument '{}' is missing", i, name));
    all.emplace_back(texts[i]);
  }
  return all;
}

std::size_t checked_threads(std::size_t threads) {
  constexpr std::size_t kMost = 1024;
  if (threads > kMost)
    throw Error(Failure::Usage, fmt::format("there cannot be {} threads", threads), {},
                fmt::format("0 is one per core; give at most {}", kMost));
  return threads;
}

void check_struct(const void* given, std::size_t size, std::size_t known, const char* name) {
  if (size < sizeof size)
    throw Error(Failure::Usage, fmt::format("the size of the structure '{}' is not set", name), {},
                "begin it with its size: {sizeof(the structure)}");
  constexpr std::size_t kLargest = 1 << 16;
  const auto* bytes = static_cast<const char*>(given);
  if (size > kLargest || (size > known && std::any_of(bytes + known, bytes + size,
                                                      [](char byte) { return byte != 0; })))
    throw Error(Failure::Usage,
                fmt::format("the structure '{}' has fields that this library does not know", name),
                {}, "it was built with a newer header; update the library");
}

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

char* text_for_caller(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void for_each_setting(const char* json,
                      const std::function<void(const std::string&, const JsonValue&)>& take) {
  if (json == nullptr || *json == '\0') return;
  JsonParser parser;
  const JsonValue all = parser.parse(json, {"settings", 0, 0});
  if (!all.is_object()) throw Error(Failure::Usage, "the settings are not a JSON object");
  all.for_members([&](std::string_view key, const JsonValue& value) {
    if (!value.is_null()) take(std::string(key), value);
  });
}

std::map<std::string, std::string> settings_of(const char* json) {
  std::map<std::string, std::string> settings;
  for_each_setting(
      json, [&](const std::string& key, const JsonValue& value) { settings[key] = value.plain(); });
  return settings;
}

FitOptions Run::options() {
  FitOptions fit;
  fit.seed = run_.seed;
  fit.threads = &pool_;
  fit.progress = &progress_;
  return fit;
}

double checked_level(double level) {
  if (!(level >= 0.5 && level < 1))
    throw Error(Failure::Usage, fmt::format("the level cannot be {}", level), {},
                "it is a share from 0.5 up to, but without, 1");
  return level;
}

void Run::Callback::begin(std::string_view stage, std::size_t total) {
  stage_ = stage, note_.clear(), done_ = 0, total_ = total;
  tell();
}

void Run::Callback::update(std::size_t done, std::string_view note) {
  done_ = done, note_ = note;
  if (done == total_ || due()) tell();
}

bool Run::Callback::stop_requested() const {
  if (std::this_thread::get_id() == caller_ && !stopped_ && due()) tell();
  return stopped_;
}

bool Run::Callback::due() const {
  constexpr auto kSeldom = std::chrono::milliseconds(50);
  return std::chrono::steady_clock::now() - told_ >= kSeldom;
}

void Run::Callback::tell() const {
  if (run_.progress == nullptr) return;
  if (run_.progress(run_.context, stage_.c_str(), done_, total_, note_.c_str()) != 0)
    stopped_ = true;
  told_ = std::chrono::steady_clock::now();
}

}  // namespace sieve

const char* ls_version(void) {
  return sieve::version();
}

const char* ls_last_error(void) {
  return sieve::last_error.message.c_str();
}

const char* ls_last_hint(void) {
  return sieve::last_error.hint.c_str();
}

int ls_use_words(const char* const* terms, const char* const* words, size_t count) {
  return sieve::guarded([&] {
    sieve::WordTable table = sieve::word_table(terms, words, count);
    sieve::use_words(nullptr);
    sieve::words_of_all() = std::move(table);
    if (count != 0) sieve::use_words(sieve::word_of_all);
  });
}

struct ls_words {
  sieve::WordTable table;
};

int ls_words_of(const char* const* terms, const char* const* words, size_t count,
                ls_words** handle) {
  return sieve::guarded([&] {
    sieve::require_argument(handle, "handle");
    *handle = new ls_words{sieve::word_table(terms, words, count)};
  });
}

const ls_words* ls_use_words_here(const ls_words* words) {
  static thread_local const ls_words* in_use = nullptr;
  sieve::use_words_here(words != nullptr ? &words->table : nullptr);
  return std::exchange(in_use, words);
}

void ls_free_words(ls_words* words) {
  if (words != nullptr && sieve::words_here() == &words->table) ls_use_words_here(nullptr);
  delete words;
}

void ls_free_text(char* text) {
  std::free(text);
}
