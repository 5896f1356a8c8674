#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/arff/arff_header.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> read(const std::string& text) {
  test::MemoryInput in(text, 5);
  return read_label_xml(in, "l.xml");
}

std::string refused(const std::string& text) {
  return test::refusal([&] { read(text); });
}

TEST(LabelXml, reads_a_flat_list_in_a_namespace) {
  EXPECT_THAT(read("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                   "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\r\n"
                   "<!-- two --><label name=\"b\"></label>\n<label name='a'> </label></labels>"),
              ElementsAre("b", "a"));
  EXPECT_THAT(read("<m:labels xmlns:m='u'><m:label name='a'/></m:labels>"), ElementsAre("a"));
}

TEST(LabelXml, flattens_nested_labels) {
  EXPECT_THAT(read("<labels><label name='a'><label name='b'><label name='c'/></label>"
                   "<label name='d'/></label><label name='e'/></labels>"),
              ElementsAre("a", "b", "c", "d", "e"));
}

TEST(LabelXml, reads_entities_and_other_encodings) {
  EXPECT_THAT(read("<labels><label name='a &amp; &lt;b&gt; &quot;&#228;&#x41;'/></labels>"),
              ElementsAre("a & <b> \"\xC3\xA4\x41"));
  EXPECT_THAT(read("\xEF\xBB\xBF<labels><label name='x'/></labels>"), ElementsAre("x"));
}

TEST(LabelXml, never_fetches_external_entities) {
  EXPECT_THAT(read("<!DOCTYPE labels [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
                   "<labels><label name='&x;'/></labels>"),
              ElementsAre("&x;"));
}

TEST(LabelXml, refuses_what_is_no_label_list) {
  EXPECT_THAT(refused(""), HasSubstr("l.xml:1:1: not well-formed XML"));
  EXPECT_THAT(refused("<labels>\n<label name='a'></labels>"),
              AllOf(HasSubstr("l.xml:2:"), HasSubstr("not well-formed XML")));
  EXPECT_THAT(refused("<html/>"), HasSubstr("the outermost element is 'html', not 'labels'"));
  EXPECT_THAT(refused("<labels>\n <row/></labels>"), HasSubstr("l.xml:2:3: the element 'row'"));
  EXPECT_THAT(refused("<labels><label/></labels>"), HasSubstr("a label has no name"));
  EXPECT_THAT(refused("<labels/>"), HasSubstr("no label is listed"));
  EXPECT_THAT(refused("<labels><label name=' '/></labels>"), HasSubstr("label 1 has a blank name"));
  EXPECT_THAT(refused("<labels><label name='a'/><label name='a'/></labels>"),
              HasSubstr("label 2 has the same name as label 1: 'a'"));
  EXPECT_THAT(refused("<labels><label name='" + std::string(5000, 'x') + "'/></labels>"),
              HasSubstr("a name of 5000 bytes"));
}

TEST(LabelXml, refuses_deep_nesting_without_using_up_the_stack) {
  std::string text = "<labels>";
  const int depth = 200000;
  for (int i = 0; i < depth; ++i) text += "<label name='" + std::to_string(i) + "'>";
  for (int i = 0; i < depth; ++i) text += "</label>";
  EXPECT_THAT(refused(text + "</labels>"), HasSubstr("nested too deeply"));
}

TEST(LabelXml, writes_names_that_read_back_the_same) {
  const std::vector<std::string> names = {"plain",        "a & b",    "<\"'>",
                                          " \t\n\r ]]> ", "\xC3\xA4", "&amp;"};
  test::MemoryOutput out;
  write_label_xml(names, out);
  EXPECT_THAT(out.text, HasSubstr("<label name=\"plain\"/>"));
  EXPECT_EQ(read(out.text), names);
}

}  // namespace
}  // namespace sieve
