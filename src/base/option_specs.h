#pragma once

#include <map>
#include <string>
#include <vector>

#include "labelsieve/options.h"

// Entries of an option table in one line each.
namespace sieve {

// With the default "auto", that is a value too.
OptionSpec real_option(std::string key, std::string value, std::string help, double low,
                       double high);
OptionSpec integer_option(std::string key, std::string value, std::string help, double low,
                          double high);
// The first choice is the default unless another one is named.
OptionSpec choice_option(std::string key, std::vector<std::string> choices, std::string help,
                         std::string value = {});
OptionSpec flag_option(std::string key, bool value, std::string help);

// A number as it would be typed.
std::string typed(std::size_t number);
std::string typed(double number);

// Leaves out options of earlier versions that now follow from others.
void drop_absorbed(std::map<std::string, std::string>& settings);

}  // namespace sieve
