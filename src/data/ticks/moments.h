#pragma once

#include <optional>
#include <string_view>

namespace sieve {

// A moment as a number that is larger the later it is, in days or as the number that the text is:
//   1700000000                          a number
//   2024-05-01T12:30:59Z, ...+02:00     with a date and perhaps a time
//   Tue Mar 05 12:34:56 PST 2019        as Mechanical Turk has it
//   3/18/2014 21:55:43                  with the month first, as CrowdFlower has it, if
//   `month_first`
// nullopt for anything else.
std::optional<double> moment_of(std::string_view text, bool month_first);

}  // namespace sieve
