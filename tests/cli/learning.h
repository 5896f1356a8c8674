#pragma once

#include "cli.h"
#include "labelsieve/files.h"

namespace sieve::test {

// A made-up crowd of 200 rows, and trainings that take no time.
class Learning : public Cli {
 protected:
  Learning() { sieve({"synth", "--rows", "200", "--out", "crowd.arff"}); }

  static std::vector<std::string> quick(const std::string& more = {},
                                        const std::string& method = "pml-gan") {
    return {"--method", method, "--set", "epochs=2,width=16,members=1,depth=1" + more};
  }
  static std::vector<std::string> joined(std::vector<std::string> words,
                                         const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Ran train(const std::string& model, const std::vector<std::string>& more = {}) const {
    return sieve(joined(joined({"train", "crowd.arff", "--out", model}, quick()), more));
  }
  bool exists(const std::string& name) const { return FileSystem::real().exists(folder_ / name); }
};

}  // namespace sieve::test
