#include "help.h"

#include <fmt/format.h>

#include <algorithm>

#include "labelsieve/error.h"
#include "verbs.h"

namespace sieve {
namespace {

// What most people begin with, as far as it was built.
std::vector<std::pair<std::string, std::string>> first_steps() {
  std::vector<std::pair<std::string, std::string>> steps = {
      {"sieve open crowd.csv", "all of it, on one page"},
      {"sieve clean crowd.csv", "which labels are wrong?"},
      {"sieve audit crowd.csv --decisions d.db", "measure it: 120 decisions"},
      {"sieve review crowd.csv --decisions d.db", "decide by hand"},
      {"sieve train crowd.csv --out crowd.model", "learn despite wrong labels"}};
  std::erase_if(steps, [](const auto& step) {
    const std::string& command = step.first;
    return verb_called(all_verbs(), split_list(command, ' ')[1]) == nullptr;
  });
  return steps;
}

constexpr std::size_t kNarrowest = 20, kWidest = 100, kUnknown = 80;

std::size_t usable(std::size_t width) {
  return width == 0 ? kUnknown : std::clamp(width, kNarrowest, kWidest);
}

// Words as they fit in lines: the first line begins with `start`, the others are indented.
std::string wrapped(const std::string& start, const std::string& text, std::size_t indent,
                    std::size_t width) {
  std::string out, line = start;
  bool first = true;
  for (const std::string& word : split_list(text, ' ')) {
    if (!first && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = std::string(indent, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    first = false;
  }
  return out + line + "\n";
}

// A name that is longer than a line goes on in the next one, after a blank or between choices.
std::string folded(const std::string& name, std::size_t indent, std::size_t width) {
  std::string out, line;
  for (std::size_t from = 0; from < name.size();) {
    const std::size_t letter = std::min(name.find_first_not_of(' ', from), name.size());
    const std::size_t end = std::min(name.find_first_of(" |", letter), name.size() - 1) + 1;
    const std::string part = name.substr(from, end - from);
    if (!out.empty() || !line.empty())
      if (line.size() + part.size() - (part.ends_with(' ') ? 1 : 0) > width) {
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = std::string(indent, ' ');
      }
    line += part;
    from = end;
  }
  return out + line;
}

// A name and what it means: beside it where there is room, else below.
std::string entry(const std::string& name, const std::string& meaning, std::size_t column,
                  std::size_t width) {
  constexpr std::size_t kLeastRoom = 28, kIndent = 6;
  if (width < column + kLeastRoom)
    return folded(name, kIndent, width) + "\n" +
           wrapped(std::string(kIndent, ' '), meaning, kIndent, width);
  if (name.size() + 2 > column)
    return folded(name, kIndent, width) + "\n" +
           wrapped(std::string(column, ' '), meaning, column, width);
  return wrapped(name + std::string(column - name.size(), ' '), meaning, column, width);
}

// Lines that belong together are wrapped together; indented ones stay as they are.
std::string paragraphs(const std::string& text, std::size_t width) {
  std::string out, open;
  const auto close = [&] {
    if (!open.empty()) out += wrapped("", open, 0, width);
    open.clear();
  };
  for (const std::string& line : split_list(text, '\n')) {
    if (line.empty() || line.starts_with(' ')) {
      close();
      out += line + "\n";
    } else {
      open += (open.empty() ? "" : " ") + line;
    }
  }
  close();
  return out;
}

std::string flag_text(const Option& option) {
  const std::string meta = meta_of(option);
  return "  --" + option.key + (meta.empty() ? "" : " ") + meta;
}

}  // namespace

std::string overview(std::size_t given) {
  const std::size_t width = usable(given);
  std::string out = wrapped(
      "", "sieve finds and removes wrong labels in multi-label data, and learns despite them.", 0,
      width);
  out += "\n";
  for (const auto& [command, words] : first_steps()) out += entry("  " + command, words, 44, width);
  out += "\nAll verbs\n";
  for (const Verb& verb : all_verbs()) out += entry("  " + verb.name, verb.summary, 14, width);
  return out + "\n" +
         wrapped("", "Try it on a made-up set: sieve synth --out crowd.csv --annotations votes.csv",
                 0, width) +
         wrapped("",
                 "sieve help VERB explains a verb and its flags; sieve --version prints the "
                 "version.",
                 0, width);
}

std::string help_of(const Verb& verb, std::size_t given) {
  constexpr std::size_t kFurthest = 30;  // longer flags have their description below
  const std::size_t width = usable(given);
  std::size_t column = 0;
  for (const Option& option : verb.options)
    column = std::max(column, std::min(kFurthest, flag_text(option).size() + 2));

  std::string out = wrapped("",
                            fmt::format("sieve {}{}{} [flags]", verb.name,
                                        verb.arguments.empty() ? "" : " ", verb.arguments),
                            2, width) +
                    wrapped("", verb.summary, 0, width);
  if (!verb.details.empty()) out += "\n" + paragraphs(verb.details, width);
  for (const OptionGroup& group : option_groups(verb)) {
    if (group.options.empty()) continue;
    out += "\n" + (group.name.empty() ? "flags" : "flags: " + group.name) + "\n";
    for (const Option* option : group.options)
      out += entry(flag_text(*option), description_of(*option), column, width);
  }
  out += "\n" + paragraphs(
                    "Every yes-or-no flag has a --no- form. Each flag can also be set by the "
                    "environment variable SIEVE_<FLAG>, or by its name in the verb's table of a "
                    "--config file.",
                    width);
  return out + "\nexample\n" + wrapped("  ", verb.example, 4, width);
}

namespace {

// Text as it is: no character of it is a request or a dash to be broken at.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string header(const std::string& name, const std::string& summary) {
  std::string title = name;
  for (char& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return fmt::format(".TH {} 1 \"\" \"LabelSieve {}\" \"LabelSieve\"\n.SH NAME\n{} \\- {}\n", title,
                     version(), plain(name), plain(summary));
}

// Lines run on, but for indented ones and blank ones.
std::string paragraphs(const std::string& text) {
  std::string out;
  for (const std::string& line : split_list(text, '\n')) {
    if (line.empty())
      out += ".PP\n";
    else if (line.starts_with(' '))
      out += ".br\n\\&" + plain(line) + "\n";
    else
      out += plain(line) + "\n";
  }
  return out;
}

std::string option_entry(const Option& option) {
  const std::string meta = meta_of(option);
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain("--" + option.key),
                     meta.empty() ? "" : " \\fI" + plain(meta) + "\\fR",
                     plain(description_of(option)));
}

std::string entries(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string out;
  for (const auto& [name, text] : rows)
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(name), plain(text));
  return out;
}

std::string exit_status() {
  return ".SH EXIT STATUS\n" +
         entries({{"0", "done"},
                  {"1", "an internal error, or not enough memory"},
                  {"2", "a flag or setting is wrong, or a combination makes no sense"},
                  {"3", "input data refused, or more memory needed than --max-memory allows"},
                  {"4", "model or checkpoint refused"},
                  {"5", "input or output failed"},
                  {"6", "a training or a task of an experiment failed"},
                  {"7", "interrupted cleanly: every output is either unchanged or complete"},
                  {"8", "a requested check did not hold"}});
}

std::string example(const std::vector<std::string>& lines) {
  std::string out = ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : lines) out += plain(line) + "\n";
  return out + ".fi\n";
}

}  // namespace

std::string manual(const std::vector<Verb>& verbs) {
  std::string out =
      header("sieve", "find wrong labels in multi-label data, and learn despite them");
  out += ".SH SYNOPSIS\n.B sieve\n\\fIVERB\\fR [\\fIARGUMENTS\\fR] [\\fIFLAGS\\fR]\n.SH VERBS\n";
  std::vector<std::pair<std::string, std::string>> rows;
  std::string pages;
  for (const Verb& verb : verbs) {
    rows.emplace_back(verb.name, verb.summary);
    pages += fmt::format("{}.BR sieve\\-{} (1)", pages.empty() ? "" : ",\n", verb.name);
  }
  out += entries(rows);
  out +=
      ".SH FLAGS\nEach verb has a page of its own with its flags, and so has \\fBsieve help\\fR. "
      "A\n"
      "yes\\-or\\-no flag has a \\-\\-no\\- form.\n"
      ".SH ENVIRONMENT\n.TP\n\\fBSIEVE_\\fIFLAG\\fR\nsets a flag, in capitals and with _ for \\-;\n"
      "one on the command line wins, and a \\-\\-config file gives way.\n"
      ".TP\n\\fBNO_COLOR\\fR\nno colours on the terminal\n";
  return out + exit_status() +
         example({"sieve synth --out crowd.arff", "sieve split crowd.arff --out parts/",
                  "sieve train parts/train.arff --out crowd.model",
                  "sieve predict crowd.model parts/test.arff --kind top"}) +
         ".SH SEE ALSO\n" + pages + "\n";
}

std::string manual_of(const Verb& verb) {
  std::string out = header("sieve-" + verb.name, verb.summary);
  out += fmt::format(".SH SYNOPSIS\n.B sieve {}\n{}[\\fIFLAGS\\fR]\n.SH DESCRIPTION\n{}", verb.name,
                     verb.arguments.empty() ? "" : plain(verb.arguments) + " ",
                     paragraphs(verb.details.empty() ? verb.summary : verb.details));
  out += ".SH FLAGS\n";
  for (const OptionGroup& group : option_groups(verb)) {
    if (!group.name.empty()) out += ".SS " + plain(group.name) + "\n";
    for (const Option* option : group.options) out += option_entry(*option);
  }
  return out + exit_status() + example({verb.example}) + ".SH SEE ALSO\n.BR sieve (1)\n";
}

}  // namespace sieve
