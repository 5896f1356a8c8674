#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

// Hints name what a reader can set or call by a term of this library. Whoever wraps the library has
// other words for it, the command a flag, a language an argument, and says so once.
namespace sieve {

struct Term {
  std::string_view name;   // a field or a function: "resume_from", "labels.count", "all_methods"
  std::string_view value;  // what to set the field to; may be empty
};

// How a term is called in messages: "labels.count=3", unless use_words() says otherwise.
std::string term(std::string_view name, std::string_view value = {});

// From now on messages use the words that this gives for a term, in all threads; null for those of
// the library. Call it before anything else.
using Words = std::string (*)(const Term&);
void use_words(Words words);

// How to run the same again with these settings, for a hint that asks: "ticks.item=photo" (several
// are joined by "and"), unless use_rerun() says otherwise. The command gives a line to copy.
std::string rerun(std::initializer_list<Term> settings);

// "" where the settings cannot be put into what was called.
using Rerun = std::string (*)(std::span<const Term>);
void use_rerun(Rerun rerun);

}  // namespace sieve
