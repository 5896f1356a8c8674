#include "experiment/grid.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "cluster/meeting.h"
#include "experiment/crew.h"
#include "experiment/grid_messages.h"
#include "experiment/task.h"

namespace sieve {
namespace {

// A task that kills the rank it runs on, for example by using all memory, must not kill them all.
constexpr int kMostLosses = 3;

using Clock = std::chrono::steady_clock;
constexpr auto kMostLate = std::chrono::seconds(10);  // counted from the end of the work

}  // namespace

RankCrew::RankCrew(MeetingPoint point, std::size_t ranks, std::size_t jobs, const Plan& plan,
                   const DataSets& data)
    : point_(std::move(point)),
      ranks_(ranks),
      view_(view_of(plan, data)),
      wake_{point_.descriptor()},
      local_(fork_crew(jobs, data.ready, &wake_)),
      came_(ranks, false) {
  came_[0] = true;
}

std::size_t RankCrew::size() const {
  std::size_t size = local_->size();
  for (const Member& member : members_) size += member.ready ? member.hello.jobs : 0;
  return size;
}

std::size_t RankCrew::running() const {
  std::size_t running = local_->running() + to_deal_again_.size() + ended_.size();
  for (const Member& member : members_) running += member.tasks.size();
  return running;
}

void RankCrew::start(const Task& task) {
  const auto member = std::ranges::find_if(members_, &Member::has_room);
  if (member == members_.end()) return local_->start(task);
  member->tasks.push_back(task);
  member->link.send(pack_message({.kind = Message::Kind::Task, .task = task}));
}

std::optional<Result> RankCrew::next(std::chrono::milliseconds patience) {
  if (ended_.empty()) {
    std::optional<Result> own = local_->next(patience);
    attend();
    deal_again();
    if (own) return own;
  }
  if (ended_.empty()) return std::nullopt;
  Result result = std::move(ended_.back());
  ended_.pop_back();
  return result;
}

void RankCrew::admit() {
  while (std::optional<Link> newcomer = point_.accept())
    members_.emplace_back(std::move(*newcomer));
}

void RankCrew::attend() {
  admit();
  for (auto member = members_.begin(); member != members_.end();) {
    if (attend(*member)) {
      ++member;
    } else {
      lost(*member);
      member = members_.erase(member);
    }
  }
  wake_ = {point_.descriptor()};
  for (const Member& member : members_) wake_.push_back(member.link.descriptor());
}

// False if it is gone, or was never one of our ranks.
bool RankCrew::attend(Member& member) {
  const bool there = member.link.receive();
  if (!greet(member)) return false;
  while (const std::optional<std::string> bytes = member.known ? member.link.next() : std::nullopt)
    heard(member, unpack_message(*bytes));
  return there;
}

// The first message says who it is. False if it was not invited.
bool RankCrew::greet(Member& member) {
  if (member.known) return true;
  const std::optional<std::string> bytes = member.link.next();
  if (!bytes) return true;
  std::string hello;
  if (!point_.admits(*bytes, hello)) return false;
  member.hello = unpack_hello(hello);
  member.known = true;
  came_.at(member.hello.rank) = true;
  return true;
}

void RankCrew::heard(Member& member, const Message& message) {
  switch (message.kind) {
    case Message::Kind::Ready:
      require_same_view(view_, message.view, member.hello.name());
      member.ready = true;
      break;
    case Message::Kind::Refuse:
      throw Error(message.failure, message.text);
    case Message::Kind::Result: {
      const auto task = std::ranges::find(member.tasks, message.text, &Task::key);
      Result result;
      if (task == member.tasks.end() || !unpack_outcome(message.outcome, result)) break;
      result.task = std::move(*task);
      member.tasks.erase(task);
      ended_.push_back(std::move(result));
      break;
    }
    default:
      break;
  }
}

void RankCrew::lost(Member& member) {
  if (!member.known) return;
  std::string note = member.hello.name() + " was lost";
  for (Task& task : member.tasks) {
    if (++losses_[task.key] < kMostLosses) {
      note += "; given to another rank: " + task.key;
      to_deal_again_.push_back(std::move(task));
      continue;
    }
    Result result;
    result.status = Result::Status::Failed;
    result.reason = fmt::format("{} ranks were lost while running it", kMostLosses);
    result.task = std::move(task);
    ended_.push_back(std::move(result));
  }
  notes_.push_back(std::move(note));
}

void RankCrew::deal_again() {
  while (!to_deal_again_.empty() &&
         (local_->running() < local_->size() || std::ranges::any_of(members_, &Member::has_room))) {
    start(to_deal_again_.back());
    to_deal_again_.pop_back();
  }
}

void RankCrew::dismiss(const Error* error) {
  Message stop{.kind = Message::Kind::Stop};
  if (error != nullptr) {
    stop.failure = error->kind();
    stop.text = error->what();
  }
  const Clock::time_point patience = Clock::now() + kMostLate;
  for (;;) {
    admit();
    for (Member& member : members_) {
      member.link.receive();
      greet(member);
    }
    if (std::ranges::all_of(came_, std::identity{}) || Clock::now() > patience) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (Member& member : members_) member.link.send(pack_message(stop));
}

std::vector<std::string> RankCrew::notes() const {
  std::vector<std::string> notes = notes_;
  for (std::size_t rank = 1; rank < ranks_; ++rank)
    if (!came_[rank]) notes.push_back(fmt::format("rank {} never connected", rank));
  return notes;
}

GridTally lead_grid(Agenda& agenda, const ExperimentOptions& options, GridPlace place,
                    Progress& progress) {
  RankCrew crew(std::move(*place.point), place.ranks, options.jobs, agenda.plan, agenda.data);
  try {
    const Tally tally = run_experiment(agenda, options, crew, progress);
    crew.dismiss();
    return {tally, crew.notes()};
  } catch (const Error& error) {
    crew.dismiss(&error);
    throw;
  }
}

namespace {

constexpr auto kForever = std::chrono::hours(1);  // a message or an outcome wakes it before

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// False when there is no more work.
bool follow(const Message& message, Crew& crew) {
  if (message.kind == Message::Kind::Task) crew.start(message.task);
  if (message.kind != Message::Kind::Stop) return true;
  if (message.failure != Failure{}) throw Error(message.failure, message.text);
  return false;
}

void serve(Link& link, Crew& crew) {
  for (;;) {
    if (const std::optional<Result> result = crew.next(kForever))
      link.send(pack_message({.kind = Message::Kind::Result,
                              .text = result->task.key,
                              .outcome = pack_outcome(*result)}));
    const bool there = link.receive();
    while (const std::optional<std::string> bytes = link.next())
      if (!follow(unpack_message(*bytes), crew)) return;
    if (!there)
      throw Error(Failure::Io, "rank 0 is gone", {},
                  "see its message; stored results are safe, and the same command continues");
  }
}

// A plan and its data, or the reason why not, which rank 0 gets, too.
struct Material {
  Plan plan;
  DataSets data;
};
Material read_material(const ExperimentOptions& options, Link& link, const Hello& hello) try {
  Plan plan = read_plan(options.plan);
  DataSets data = load_data_sets(plan, select_tasks(plan.tasks, options.only), options.data_folder);
  link.send(pack_message({.kind = Message::Kind::Ready, .view = view_of(plan, data)}));
  return {std::move(plan), std::move(data)};
} catch (const Error& error) {
  link.send(pack_message({.kind = Message::Kind::Refuse,
                          .failure = error.kind(),
                          .text = hello.name() + ": " + error.what()}));
  throw;
}

}  // namespace

void work_on_grid(const ExperimentOptions& options, std::size_t rank,
                  const std::string& invitation) {
  const Hello hello{rank, host_name(), options.jobs};
  try {
    Link link = meet(invitation, pack_hello(hello));
    const Material material = read_material(options, link, hello);
    const std::vector<int> wake = {link.descriptor()};
    serve(link, *fork_crew(options.jobs, material.data.ready, &wake));
  } catch (const Error& error) {
    throw Error(error.kind(), hello.name() + ": " + error.what());
  }
}

}  // namespace sieve
