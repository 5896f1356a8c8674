#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace sieve {

// Manual pages in the language of man(7), made from the tables of the verbs: sieve(1), and one page
// per verb, sieve-train(1).
std::string manual(const std::vector<Verb>& verbs);
std::string manual_of(const Verb& verb);

}  // namespace sieve
