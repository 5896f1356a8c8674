#include "manual.h"

#include <fmt/format.h>

#include "labelsieve/error.h"

namespace sieve {
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
