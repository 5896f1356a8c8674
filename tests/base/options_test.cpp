#include "labelsieve/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/option_specs.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using ::testing::HasSubstr;

std::vector<OptionSpec> table() {
  std::vector<OptionSpec> all = {
      flag_option("bias", false, ""), integer_option("epochs", "30", "", 1, 100),
      real_option("rate", "0.5", "", 0, 1), choice_option("how", {"fast", "well"}, "")};
  all[1].can_be_auto = true;
  return all;
}

TEST(Options, yes_and_no_have_many_spellings_and_are_kept_in_one) {
  Options options(table());
  for (const char* yes : {"true", "yes", "on", "1"}) {
    options.set("bias", "false");
    options.set("bias", yes);
    EXPECT_TRUE(options.flag("bias")) << yes;
    EXPECT_EQ(options.text("bias"), "true");
  }
  for (const char* no : {"false", "no", "off", "0"}) {
    options.set("bias", "true");
    options.set("bias", no);
    EXPECT_EQ(options.text("bias"), "false") << no;
  }
}

TEST(Options, refuse_what_a_setting_cannot_be_and_keep_their_value) {
  Options options(table());
  const auto refused = [&](const char* key, const char* value) {
    int code = 0;
    const std::string message = refusal([&] { options.set(key, value); }, &code);
    EXPECT_EQ(code, 2) << key << value;
    return message;
  };
  EXPECT_THAT(refused("bias", "maybe"), HasSubstr("it takes true or false"));
  for (const char* value : {"", "0", "101", "2.5", "1e1", "0x10", " 3"})
    EXPECT_THAT(refused("epochs", value),
                HasSubstr("it takes a whole number from 1 to 100, or auto"));
  for (const char* value : {"", "nan", "inf", "1.5", "-0.1", "auto", "1e400", "+1"})
    EXPECT_THAT(refused("rate", value), HasSubstr("it takes a number from 0 to 1"));
  EXPECT_THAT(refused("how", "wel"), HasSubstr("it takes one of fast, well"));
  EXPECT_THAT(refused("epoch", "3"), HasSubstr("did you mean 'epochs'"));
  EXPECT_EQ(options.values(), Options(table()).values());
  options.set("epochs", "auto");
  EXPECT_TRUE(options.is_auto("epochs"));
}

TEST(Options, go_back_to_their_default_even_where_that_is_nothing) {
  Options options({{.key = "files", .type = OptionSpec::Type::List}});
  options.set("files", "a.csv");
  EXPECT_TRUE(options.has("files"));
  options.set("files", "");
  EXPECT_FALSE(options.has("files"));
}

TEST(Options, outlive_the_table_they_were_made_of) {
  const Options options = [] { return Options(table()); }();
  EXPECT_EQ(options.integer("epochs"), 30);
  EXPECT_EQ(options.real("rate"), 0.5);
}

}  // namespace
}  // namespace sieve
