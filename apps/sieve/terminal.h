#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "labelsieve/files.h"

namespace sieve {

// Columns to write to on a descriptor: COLUMNS if it is set (it may be 0), else what the terminal
// says, else 80.
std::size_t terminal_width(int descriptor);
// A terminal where a line can be drawn again.
bool is_drawable(int descriptor);
// One with colours, which NO_COLOR does not forbid.
bool has_colours(int descriptor);
// The locale does not say otherwise.
bool shows_unicode();

// Emphasis where standard output has colours; else the text as it is.
std::string bold(const std::string& text);
std::string warning_colour(const std::string& text);
// The first line in bold, claims as everywhere: a guess grey, an audited one blue.
std::string with_colours(const std::string& text);

// `text` with all that could steer a terminal written out, but for lines, tabs and the emphasis
// above: names and messages come from files.
std::string harmless(std::string_view text);

// Nobody reads standard output any more (head, less): end without a word.
struct ClosedOutput {};

// Standard output as a stream; harmless where it is a terminal. Throws ClosedOutput, or Error(Io)
// where the system fails otherwise.
class StandardOutput final : public OutputStream {
 public:
  void write(std::string_view bytes) override;
  void sync() override {}
  void close() override {}
};

// Writes everything to standard output or standard error, past any buffer. Returns 0 or the errno.
int write_all(int descriptor, std::string_view text);

// "sieve: message" on standard error.
void tell(const std::string& message);
// The same in red: what ended the command.
void tell_failure(const std::string& message);

}  // namespace sieve
