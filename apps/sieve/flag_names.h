#pragma once

#include <string>
#include <vector>

#include "labelsieve/options.h"

namespace sieve {

// What this command calls a term of the library: "--resume" for "resume_from". Settings of reading
// are not in it: their flags are in the table of data/read_settings.h.
struct WordRow {
  const char *term, *words;
};
const std::vector<WordRow>& word_table();

// By these tables: the row of name=value if there is one, else that of the name, then the value.
std::string command_words(const Term& term);

// As one word of a shell.
std::string shell_word(const std::string& word);
// The command line that was typed, without the name of the program, for command_again().
void remember_command(std::vector<std::string> words);
// That line with these settings in place of the ones it had, quoted for a shell; "" where the verb
// has no flags for them.
std::string command_again(std::span<const Term> settings);

}  // namespace sieve
