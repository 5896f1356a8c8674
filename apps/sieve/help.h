#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "options.h"

// Texts of the help, in lines of at most `width` columns that break between words.

namespace sieve {

// What `sieve` alone prints: a few first steps, all verbs, where to read on.
std::string overview(std::size_t width);

// Everything about one verb: its own flags first, those that verbs share under headings.
std::string help_of(const Verb& verb, std::size_t width);

// Manual pages in the language of man(7), made from the tables of the verbs: sieve(1), and one page
// per verb, sieve-train(1).
std::string manual(const std::vector<Verb>& verbs);
std::string manual_of(const Verb& verb);

}  // namespace sieve
