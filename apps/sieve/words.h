#pragma once

#include <string>
#include <vector>

#include "labelsieve/words.h"

namespace sieve {

// What this command calls a term of the library: "--resume" for "resume_from".
struct WordRow {
  const char *term, *words;
};
const std::vector<WordRow>& word_table();

// By that table: the row of name=value if there is one, else that of the name, then the value.
std::string command_words(const Term& term);

}  // namespace sieve
