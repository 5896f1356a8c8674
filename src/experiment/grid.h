#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "cluster/meeting.h"
#include "experiment/crew.h"
#include "experiment/experiment.h"
#include "experiment/grid_messages.h"

namespace sieve {

// Rank 0's crew: processes of its own, and the other ranks, which connect to the meeting point once
// they have read the data, and may do so late or not at all. When a rank is lost, the tasks it was
// doing are given to others. next() throws Error(Data) if a rank's data are not those of rank 0,
// or the error of a rank that cannot work.
class RankCrew final : public Crew {
 public:
  // The data must outlive the crew. `jobs` tasks at a time on this rank.
  RankCrew(MeetingPoint point, std::size_t ranks, std::size_t jobs, const Plan& plan,
           const DataSets& data);

  std::size_t size() const override;
  std::size_t running() const override;
  void start(const Task& task) override;
  std::optional<Result> next(std::chrono::milliseconds patience) override;

  // Dismisses the other ranks, also those yet to connect; with an error, each of them reports it.
  void dismiss(const Error* error = nullptr);
  // Ranks that were lost or never came.
  std::vector<std::string> notes() const;

 private:
  struct Member {
    explicit Member(Link to) : link(std::move(to)) {}
    Link link;
    Hello hello{};
    bool known = false, ready = false;
    std::vector<Task> tasks{};
    bool has_room() const { return ready && tasks.size() < hello.jobs; }
  };

  void admit();
  void attend();
  bool attend(Member& member);
  bool greet(Member& member);
  void heard(Member& member, const Message& message);
  void lost(Member& member);
  void deal_again();

  MeetingPoint point_;
  std::size_t ranks_;
  RankView view_;
  std::vector<int> wake_;
  std::unique_ptr<Crew> local_;
  std::list<Member> members_;
  std::vector<Task> to_deal_again_;
  std::map<std::string, int> losses_;  // ranks lost per task, by its key
  std::vector<Result> ended_;
  std::vector<bool> came_;
  std::vector<std::string> notes_;
};

// An experiment on the ranks that mpirun or srun started together.

// What rank 0 does: deals the tasks, keeps the results and works itself. Throws what
// run_experiment() does, after the other ranks know.
struct GridTally {
  Tally tally;
  std::vector<std::string> notes;  // ranks that were lost or never came
};
GridTally lead_grid(Agenda& agenda, const ExperimentOptions& options, GridPlace place,
                    Progress& progress);

// What a rank other than 0 does: goes to rank 0, reads plan and data, and does the tasks it is
// given, `options.jobs` at a time, until rank 0 has no more. Returns when all is done. Throws what
// ended the grid, on whichever rank that was; Error(Io) if rank 0 is gone.
void work_on_grid(const ExperimentOptions& options, std::size_t rank,
                  const std::string& invitation);

}  // namespace sieve
