#pragma once

#include <memory>
#include <string>

#include "labelsieve/learner.h"

// The option "decision" of methods whose scores are not compared with labels of unseen rows when
// they learn: its rules cost fits that hold rows out.
namespace sieve {

// "own", which is what the method itself has, or a goal of decision_option().
OptionSpec own_decision_option();

// Fits as `inner` does, and decides by one threshold of scores for all labels, learnt for the goal
// from scores of rows that were held out. Error(Data) where that cannot be done. The models are
// loaded by `load`.
std::unique_ptr<Learner> with_decision(std::unique_ptr<Learner> inner, std::string goal,
                                       std::unique_ptr<Model> (*load)(ModelState));

// The entry of a method in the registry, with the option.
template <MethodInfo (*method)()>
MethodInfo with_decision_option() {
  MethodInfo info = method();
  info.options.push_back(own_decision_option());
  info.make = [](const Options& options) {
    static const MethodInfo own = method();
    const Options usual(own.options);
    Options others = usual;
    for (const auto& [key, value] : usual.values())
      if (options.text(key) != value) others.set(key, options.text(key));
    const std::string& goal = options.text(own_decision_option().key);
    std::unique_ptr<Learner> inner = own.make(others);
    return goal == "own" ? std::move(inner) : with_decision(std::move(inner), goal, own.load);
  };
  return info;
}

}  // namespace sieve
