#pragma once

#include <map>
#include <span>
#include <string>

#include "labelsieve/options.h"

// Names of settings in the messages of one caller, where several share a process.

namespace sieve {

// By term: "labels.count", or "labels.count=3". A term that is not there keeps its name. The word
// of the term "=" is the mark around values that are texts, if there is one.
using WordTable = std::map<std::string, std::string>;
std::string named_by(const WordTable& words, const Term& term);

// The words that term() goes by in this thread, before those of use_words(); null: none. Threads of
// a pool go by those of the thread that they work for.
const WordTable* words_here();
void use_words_here(const WordTable* words);

// As the function of that name for a list that is written out.
std::string rerun(std::span<const Term> settings);

}  // namespace sieve
