#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "options.h"

namespace sieve {

// The flags of every verb that writes a data set.
std::vector<Option> writing_options();
Option force_option();

WriteOptions write_options(const Arguments& arguments);
IfExists if_exists(const Arguments& arguments);

// Finds out before the work whether the data set can be written there. Throws what writing it would
// throw for a name without a format, an existing file, a missing folder or no permission; and
// Error(Usage) if one of its files is named by another argument too, whatever it is called there.
void check_output(const Arguments& arguments, const std::string& path, const WriteOptions& options);
// The same of a name that was made of what the user named.
void check_output(const Arguments& arguments, const std::string& argument, const std::string& path,
                  const WriteOptions& options);
// The same of a single file.
void check_writable(const Arguments& arguments, const std::string& path);
// Error(Usage) if any argument but `argument` (or what is read along with it) is this file.
void check_not_an_input(const Arguments& arguments, const std::string& argument,
                        const std::string& file);

// Writes an HTML page where `argument` asks for one. Gives what to say of it, "" without one.
std::string write_page(const Arguments& arguments, const std::string& argument,
                       const std::string& html);

// Of all files that writing a data set to `path` makes.
std::uint64_t bytes_of(const std::string& path, const WriteOptions& options);

// "wrote crowd.csv: 2000 x 60 x 12, 1.2 MB", and the same for machines.
// Notes on what the data has and such a file does not hold.
void add_lost(std::vector<std::string>& notes, const Dataset& data, const std::string& path,
              const WriteOptions& options);

std::string written_line(const DataShape& shape, const std::string& path,
                         const WriteOptions& options);
Json written_json(const DataShape& shape, const std::string& path, const WriteOptions& options);

}  // namespace sieve
