#pragma once

#include <string>
#include <vector>

namespace sieve {

// The name most like `word` by edits (insert, delete, change, swap of neighbours); "" if none is
// close enough to be meant.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

// "did you mean 'inspect'?", or `otherwise` if nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names,
                         const std::string& otherwise);

}  // namespace sieve
