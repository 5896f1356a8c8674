#include "report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document with_everywhere(const std::string& text) {
  return {text, {{text, {"data", text}, {{{text}, {text, true}}}, text}}, {text}};
}

TEST(Document, lets_no_control_character_through) {
  const Document document = with_everywhere("a\x1b]0;b\x07\u009bc\xc3\xa9");
  for (const std::string& out : {as_text(document), as_markdown(document), as_latex(document)}) {
    for (const char* control : {"\x1b", "\x07", "\u009b"})
      EXPECT_THAT(out, Not(HasSubstr(control)));
    EXPECT_THAT(out, HasSubstr("a\uFFFD]0;b\uFFFD\uFFFDc\u00e9"));
  }
}

TEST(Document, a_text_of_two_lines_begins_no_line) {
  const Document document = with_everywhere("one\ntwo\r\ntwo");
  for (const std::string& out : {as_text(document), as_markdown(document), as_latex(document)})
    EXPECT_THAT("\n" + out, Not(HasSubstr("\ntwo")));
  EXPECT_THAT(as_latex(document), HasSubstr("% one two"));
}

}  // namespace
}  // namespace sieve::test
