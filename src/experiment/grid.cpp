#include "experiment/grid.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

#include "cluster/meeting.h"
#include "experiment/crew.h"
#include "experiment/grid_messages.h"
#include "experiment/rank_crew.h"
#include "experiment/task.h"

namespace sieve {

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
