#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/places.h"
#include "support/run_command.h"
#include "support/support.h"

namespace sieve::test {

// The real command in a folder of its own.
class Cli : public ::testing::Test {
 protected:
  Ran sieve(std::vector<std::string> words, RunOptions options = {}) const {
    words.insert(words.begin(), sieve_command());
    options.folder = folder_.path();
    return run_program(words, options);
  }
  void write(const std::string& name, const std::string& content) const {
    write_file(folder_ / name, content);
  }
  std::string read(const std::string& name) const { return read_file(folder_ / name); }

  // Four rows, two features, three labels; the third label is rare, row 4 has none.
  void write_small_set(const std::string& name = "small.csv") const {
    write(name,
          "f1,f2,label:sun,label:sea,label:snow\n"
          "0.5,1,1,1,0\n"
          "1.5,0,1,0,0\n"
          "2.5,0,0,1,1\n"
          "3.5,1,0,0,0\n");
  }

  TempFolder folder_;
};

}  // namespace sieve::test
