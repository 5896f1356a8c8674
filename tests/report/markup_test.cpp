#include "report/markup.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/html_page.h"
#include "report/well_formed.h"

namespace sieve::test {
namespace {

TEST(Markup, nothing_in_a_text_or_an_attribute_becomes_markup) {
  const std::string name = "<script>alert(\"1\")</script> & 'x'";
  const Element element = Element("p").set("title", name).add_text(name);
  EXPECT_EQ(element.text(),
            "<p title=\"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;\">"
            "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</p>");
  EXPECT_EQ(parsed(element).child("p").attribute("title").value(), name);
  EXPECT_EQ(parsed(element).child("p").text().get(), name);
}

TEST(Markup, keeps_other_scripts_and_replaces_what_is_no_text) {
  EXPECT_EQ(escaped("日本語 עברית é"), "日本語 עברית é");
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(escaped("a\xff"), "a\uFFFD");
  EXPECT_EQ(escaped("\x1b[31m"), "\uFFFD[31m");
}

TEST(Markup, numbers_are_short_and_never_a_negative_zero) {
  EXPECT_EQ(pixels_text(-0.01), "0");
  EXPECT_EQ(pixels_text(12.349), "12.3");
  EXPECT_EQ(pixels_text(7), "7");
  EXPECT_EQ(value_text(0.123456), "0.1235");
  EXPECT_EQ(value_text(NAN), "–");
  EXPECT_EQ(value_text(INFINITY), "∞");
}

TEST(HtmlTable, cells_carry_what_they_are_sorted_by) {
  const HtmlTable table{
      "Labels <b>",
      {{"Label"}, {"Noise", true}},
      {{text_cell("\"sea\" <i>"), percent_cell(0.25)}, {text_cell("sun"), percent_cell(NAN)}}};
  const pugi::xml_document tree = parsed(draw(table));
  EXPECT_EQ(count(tree, "//thead/tr/th/button"), 2U);
  EXPECT_EQ(count(tree, "//tbody/tr"), 2U);
  EXPECT_STREQ(tree.select_node("//tbody/tr[1]/td").node().attribute("data-value").value(), "0.25");
  EXPECT_STREQ(tree.select_node("//tbody/tr[1]/th").node().text().get(), "\"sea\" <i>");
  EXPECT_FALSE(tree.select_node("//tbody/tr[2]/td").node().attribute("data-value"));
  EXPECT_STREQ(tree.select_node("//p").node().text().get(), "Labels <b>");
}

TEST(HtmlTable, an_empty_table_is_still_a_table) {
  EXPECT_EQ(count(parsed(draw(HtmlTable{"Nothing", {{"a"}}, {}})), "//tbody/tr"), 0U);
}

TEST(HtmlPage, has_one_script_and_forbids_all_others_and_any_loading) {
  HtmlPage page("kind", "</title><script>alert(1)</script>", "a lead");
  page.begin_section("One");
  page.begin_section("Two", "with words");
  page.add_details("more", {with_text("p", "hidden")});
  const std::string text = page.text();
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_EQ(text.find("<script>"), text.rfind("<script>"));
  EXPECT_EQ(text.find("http://"), std::string::npos);
  EXPECT_EQ(text.find("https://"), std::string::npos);
  EXPECT_NE(text.find("href=\"#section2\">Two</a>"), std::string::npos);
}

}  // namespace
}  // namespace sieve::test
