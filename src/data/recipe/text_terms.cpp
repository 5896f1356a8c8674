#include "data/recipe/text_terms.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include <utf8proc.h>

namespace sieve {
namespace {

// What a byte is in a word: the lower case of an ASCII character, 0 if it is not part of one, and
// kBeyond if it is no ASCII.
constexpr char kBeyond = 1;
constexpr std::array<char, 256> kLower = [] {
  std::array<char, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c) {
    table[static_cast<std::size_t>(c)] = c;
    table[static_cast<std::size_t>(c - 'a' + 'A')] = c;
  }
  table['_'] = '_';
  std::fill(table.begin() + 128, table.end(), kBeyond);
  return table;
}();
char lower_case(char c) {
  return kLower[static_cast<unsigned char>(c)];
}

// The hashes of terms are part of models: they must stay as they are.
constexpr std::uint64_t kStart = 0xcbf29ce484222325U, kFactor = 0x100000001b3U;

std::uint64_t step(std::uint64_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * kFactor;
}

// Spreads what differs over all bits.
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdU;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53U;
  return hash ^ hash >> 33;
}

std::uint64_t hash_of_word(std::string_view word) {
  std::uint64_t hash = kStart;
  for (const char c : word) hash = step(hash, c);
  return mixed(hash);
}

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

// The code point at the front of a text and its length; -1 and 1 for a byte that begins none.
struct Point {
  utf8proc_int32_t value;
  std::size_t size;
};
Point first_point(std::string_view text) {
  utf8proc_int32_t value = -1;
  const utf8proc_ssize_t size =
      utf8proc_iterate(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &value);
  return size < 1 ? Point{-1, 1} : Point{value, static_cast<std::size_t>(size)};
}

bool is_word_point(utf8proc_int32_t point) {
  const utf8proc_category_t kind = utf8proc_category(point);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NO) ||
         kind == UTF8PROC_CATEGORY_PC;
}

// Bytes that are not UTF-8 become blanks.
std::string only_valid(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Point point = first_point(text);
    if (point.value < 0)
      out += ' ';
    else
      out += text.substr(0, point.size);
    text.remove_prefix(point.size);
  }
  return out;
}

// NFKC with case folding, so that what looks the same is the same.
std::string folded(std::string_view text) {
  const std::string valid = only_valid(text);
  utf8proc_uint8_t* out = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(
      bytes_of(valid), static_cast<utf8proc_ssize_t>(valid.size()), &out,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                     UTF8PROC_CASEFOLD | UTF8PROC_IGNORE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
  if (size < 0) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
}

// How many bytes of `text` are the next character of a word; 0 if it is not part of one.
std::size_t word_bytes(std::string_view text) {
  const char lower = lower_case(text[0]);
  if (lower != kBeyond) return lower != 0 ? 1 : 0;
  const Point point = first_point(text);
  return point.value >= 0 && is_word_point(point.value) ? point.size : 0;
}

}  // namespace

std::string TextTerm::text() const {
  std::string out = letters ? "~" : "";
  out += first;
  if (!second.empty()) out += ' ';
  return out += second;
}

std::uint64_t TermFinder::hash_of_pair(std::uint64_t first, std::uint64_t second) {
  return mixed(first * 0x9e3779b97f4a7c15U + second);
}

std::uint64_t TermFinder::hash_of_letters(std::string_view letters) {
  std::uint64_t hash = step(kStart, '~');
  for (const char c : letters) hash = step(hash, c);
  return mixed(hash);
}

std::uint64_t hash_of_term(std::string_view text) {
  if (text.starts_with('~')) return TermFinder::hash_of_letters(text.substr(1));
  const std::size_t blank = text.find(' ');
  if (blank == text.npos) return hash_of_word(text);
  return TermFinder::hash_of_pair(hash_of_word(text.substr(0, blank)),
                                  hash_of_word(text.substr(blank + 1)));
}

void TermFinder::add_word(std::size_t begin, std::size_t end, std::uint64_t hash) {
  if (begin != end) words_.push_back({begin, end, mixed(hash)});
}

// A word is looked for in runs of bytes between ASCII characters that are not part of one.
void TermFinder::find_words(std::string_view text) {
  words_.clear();
  make_room(text.size());
  for (std::size_t i = 0, end = 0; i < text.size(); ++i) {
    const std::size_t from = i, begin = end;
    std::uint64_t hash = kStart;
    char lower = 0;
    for (; i < text.size() && (lower = lower_case(text[i])) > kBeyond; ++i) {
      folded_[end++] = lower;
      hash = step(hash, lower);
    }
    if (lower != kBeyond || i == text.size()) {
      add_word(begin, end, hash);
      continue;
    }
    while (i < text.size() && lower_case(text[i]) != 0) ++i;
    end = add_beyond_ascii(text.substr(from, i - from), begin);
    make_room(end + text.size() - i);
  }
}

// What is folded has as many bytes as before, where it is ASCII.
void TermFinder::make_room(std::size_t size) {
  if (folded_.size() < size) folded_.resize(size);
}

// Puts the words of a run at a place of the folded text and returns their end.
std::size_t TermFinder::add_beyond_ascii(std::string_view run, std::size_t begin) {
  const std::string& folding = folding_of(run);
  const std::size_t last = begin + folding.size();
  make_room(last);
  std::ranges::copy(folding, folded_.begin() + static_cast<std::ptrdiff_t>(begin));
  std::uint64_t hash = kStart;
  for (std::size_t end = begin; end < last;) {
    const std::size_t size = word_bytes(std::string_view(folded_).substr(end, last - end));
    for (std::size_t k = 0; k < size; ++k) hash = step(hash, folded_[end + k]);
    if (size == 0) {
      add_word(begin, end, hash);
      begin = end + 1, hash = kStart;
    }
    end += std::max<std::size_t>(size, 1);
  }
  add_word(begin, last, hash);
  return last;
}

const std::string& TermFinder::folding_of(std::string_view run) {
  constexpr std::size_t kKnown = 1024;
  known_.resize(kKnown);
  Folding& known = known_[hash_of_word(run) % kKnown];
  if (known.from != run) known = {std::string(run), folded(run)};
  return known.to;
}

// The letters of a word with a blank before and after it, from two on.
void TermFinder::find_letters(std::string_view word) {
  padded_ = ' ';
  padded_ += word;
  padded_ += ' ';
  const auto continues = [&](std::size_t at) {
    return at < padded_.size() && (static_cast<unsigned char>(padded_[at]) & 0xc0U) == 0x80U;
  };
  letters_.clear();
  for (std::size_t begin = 0; begin < padded_.size(); ++begin) {
    if (continues(begin)) continue;
    std::size_t end = begin;
    for (std::size_t count = 1; count <= options_.char_grams && end < padded_.size(); ++count) {
      do ++end;
      while (continues(end));
      if (count > 1) letters_.push_back(std::string_view(padded_).substr(begin, end - begin));
    }
  }
}

namespace {

constexpr std::size_t kMostTerms = std::size_t{1} << 22;

}  // namespace

TermCounts::Slot& TermCounts::slot_of(std::uint64_t hash) {
  if (2 * used_ >= slots_.size()) grow(2 * slots_.size());
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].rows != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
  return slots_[at];
}

void TermCounts::grow(std::size_t capacity) {
  std::vector<Slot> old(capacity);
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.rows == 0) continue;
    std::size_t at = slot.hash & (capacity - 1);
    while (slots_[at].rows != 0) at = (at + 1) & (capacity - 1);
    slots_[at] = slot;
  }
}

void TermCounts::add(const TextTerm& term, std::size_t row) {
  Slot& slot = slot_of(term.hash);
  const auto mark = static_cast<std::uint32_t>(row + 1);
  if (slot.rows != 0 && slot.last == mark) return;
  if (slot.rows == 0) {
    ++used_;
    slot.hash = term.hash;
    slot.at = texts_.size();
    texts_ += term.text();
    slot.size = static_cast<std::uint32_t>(texts_.size() - slot.at);
  }
  ++slot.rows;
  slot.last = mark;
}

void TermCounts::add(const TermCounts& below) {
  for (const Slot& more : below.slots_) {
    if (more.rows == 0) continue;
    Slot& slot = slot_of(more.hash);
    if (slot.rows == 0) {
      ++used_;
      slot = {more.hash, 0, 0, texts_.size(), more.size};
      texts_ += below.text(more);
    }
    slot.rows += more.rows;
  }
  if (used_ > kMostTerms) drop_rare();
}

void TermCounts::drop_rare() {
  TermCounts kept;
  for (std::uint32_t least = 2; used_ > kMostTerms / 2; ++least, kept = TermCounts()) {
    for (const Slot& slot : slots_) {
      if (slot.rows < least) continue;
      Slot& to = kept.slot_of(slot.hash);
      to = {slot.hash, slot.rows, 0, kept.texts_.size(), slot.size};
      kept.texts_ += text(slot);
      ++kept.used_;
    }
    std::swap(*this, kept);
  }
}

std::vector<TermCounts::Count> TermCounts::most_frequent(std::size_t most) const {
  std::vector<Count> counts;
  const auto gather = [&](std::uint32_t least) {
    for (const Slot& slot : slots_)
      if (slot.rows >= least) counts.push_back({std::string(text(slot)), slot.rows});
  };
  gather(2);
  if (counts.empty()) gather(1);
  const auto more_frequent = [](const Count& a, const Count& b) {
    return a.rows != b.rows ? a.rows > b.rows : a.term < b.term;
  };
  if (counts.size() > most) {
    std::ranges::nth_element(counts, counts.begin() + static_cast<std::ptrdiff_t>(most),
                             more_frequent);
    counts.resize(most);
  }
  std::ranges::sort(counts, {}, &Count::term);
  return counts;
}

}  // namespace sieve
