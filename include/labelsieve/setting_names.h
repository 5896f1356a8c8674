#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

// Names of settings in messages. A hint names a field or function of this library; the command, or
// a binding for another language, replaces it by a flag or an argument.
namespace sieve {

struct Term {
  std::string_view name;   // a field or a function: "resume_from", "labels.count", "all_methods"
  std::string_view value;  // what to set the field to; may be empty
};

// The name of a term in messages: "labels.count=3", unless use_words() says otherwise.
std::string term(std::string_view name, std::string_view value = {});

// Sets the function that names terms, for all threads; null restores the library's own names. Call
// it before anything else.
using Words = std::string (*)(const Term&);
void use_words(Words words);

// How to repeat the call with these settings, for a hint that asks: "ticks.item=photo" (several are
// joined by "and"), unless use_rerun() says otherwise. The command gives a line to copy.
std::string rerun(std::initializer_list<Term> settings);

// "" where the settings cannot be put into what was called.
using Rerun = std::string (*)(std::span<const Term>);
void use_rerun(Rerun rerun);

}  // namespace sieve
