#include "experiment/grid_messages.h"

#include "base/packer.h"
#include "data/fingerprint.h"
#include "labelsieve/version.h"

namespace sieve {
namespace {

void pack_view(Packer& out, const RankView& view) {
  out.text(view.version);
  out.text(view.plan_hash);
  out.whole(view.sets.size());
  for (const auto& [name, print] : view.sets) {
    out.text(name);
    out.text(print);
  }
}

RankView unpack_view(Unpacker& in) {
  RankView view;
  view.version = in.text();
  view.plan_hash = in.text();
  for (std::uint64_t left = in.whole(); left > 0 && in.good; --left) {
    std::string name = in.text();
    view.sets[std::move(name)] = in.text();
  }
  return view;
}

void pack_task(Packer& out, const Task& task) {
  for (const std::string* part :
       {&task.key, &task.data_set, &task.noise, &task.method, &task.learner, &task.options})
    out.text(*part);
  out.whole(task.seed);
  out.real(task.test_share);
  out.whole(task.keep_labels);
}

Task unpack_task(Unpacker& in) {
  Task task;
  for (std::string* part :
       {&task.key, &task.data_set, &task.noise, &task.method, &task.learner, &task.options})
    *part = in.text();
  task.seed = in.whole();
  task.test_share = in.real();
  task.keep_labels = in.whole();
  return task;
}

// The fingerprint, or what stands for a set that is not there.
std::string print_of(const RankView& view, const std::string& set) {
  const auto found = view.sets.find(set);
  return found == view.sets.end() ? "none" : found->second;
}

}  // namespace

std::string pack_hello(const Hello& hello) {
  Packer out;
  out.whole(hello.rank);
  out.text(hello.host);
  out.whole(hello.jobs);
  return out.bytes;
}

Hello unpack_hello(const std::string& bytes) {
  Unpacker in(bytes);
  Hello hello;
  hello.rank = in.whole();
  hello.host = in.text();
  hello.jobs = in.whole();
  return hello;
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
  Packer out;
  out.whole(static_cast<std::uint64_t>(message.kind));
  pack_view(out, message.view);
  out.whole(static_cast<std::uint64_t>(message.failure));
  out.text(message.text);
  out.text(message.outcome);
  pack_task(out, message.task);
  return out.bytes;
}

Message unpack_message(const std::string& bytes) {
  Unpacker in(bytes);
  Message message;
  message.kind = static_cast<Message::Kind>(in.whole());
  message.view = unpack_view(in);
  message.failure = static_cast<Failure>(in.whole());
  message.text = in.text();
  message.outcome = in.text();
  message.task = unpack_task(in);
  if (!in.at_end()) throw Error(Failure::Io, "a message between two ranks was not understood");
  return message;
}

}  // namespace sieve
