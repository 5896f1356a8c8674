#pragma once

#include <cstddef>
#include <string>

namespace sieve {

// The labels of the built-in crowd go round the topics: label k belongs to topic k % kTopics.
constexpr std::size_t kTopics = 6;

// A tag word of the label's topic; numbered once the words are used up.
std::string synth_label_name(std::size_t label);

}  // namespace sieve
