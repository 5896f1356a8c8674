#include "experiment/grid_messages.h"

#include "data/fingerprint.h"
#include "labelsieve/error.h"

namespace sieve {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hello, rank, host, jobs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankView, version, plan_hash, sets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, key, data_set, noise, method, learner, options, seed,
                                   test_share, keep_labels, folds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Message, kind, view, failure, text, outcome, task)

namespace {

template <class T>
T understood(const std::string& bytes) {
  T value;
  if (!unpack(bytes, value))
    throw Error(Failure::Io, "a message between two ranks was not understood");
  return value;
}

// The fingerprint, or what stands for a set that is not there.
std::string print_of(const RankView& view, const std::string& set) {
  const auto found = view.sets.find(set);
  return found == view.sets.end() ? "none" : found->second;
}

}  // namespace

std::string pack_hello(const Hello& hello) {
  return pack(hello);
}

Hello unpack_hello(const std::string& bytes) {
  return understood<Hello>(bytes);
}

RankView view_of(const Plan& plan, const DataSets& data) {
  RankView view{version(), plan.info.hash, {}};
  for (const auto& [name, set] : data.ready) view.sets[name] = fingerprint(set);
  return view;
}

void require_same_view(const RankView& own, const RankView& other, const std::string& rank) {
  if (other.version != own.version)
    throw Error(Failure::Usage,
                rank + " runs LabelSieve " + other.version + ", and rank 0 runs " + own.version, {},
                "install the same version on every machine");
  if (other.plan_hash != own.plan_hash)
    throw Error(Failure::Usage, rank + " reads another plan than rank 0", {},
                "the plan must be the same on every machine");
  auto names = own.sets;
  names.insert(other.sets.begin(), other.sets.end());
  for (const auto& [name, print] : names)
    if (print_of(own, name) != print_of(other, name))
      throw Error(Failure::Data,
                  rank + " has another data set '" + name + "' than rank 0 (fingerprint " +
                      print_of(other, name) + ", not " + print_of(own, name) + ")",
                  {}, "the data folder must hold the same files on every machine");
}

std::string pack_message(const Message& message) {
  return pack(message);
}

Message unpack_message(const std::string& bytes) {
  return understood<Message>(bytes);
}

}  // namespace sieve
