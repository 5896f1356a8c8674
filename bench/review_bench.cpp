// The review page under load, and how fast a reviewer gets.
//
// usage: review_bench latency folder [rows] [reviewers] [decisions]
//        review_bench race data ticks [method] [key=value]
//        review_bench reader texts annotations gold [method] [first seed] [last seed]
//        review_bench halves texts annotations gold [method] [first seed] [last seed]
//
// latency: reviewers of random speed decide on the suspects of a simulated crowd, each over a
// connection of its own; prints quantiles of the time from the request to its answer, with the next
// item in it. The file of decisions is made in the folder. race: a simulated reviewer who is right
// 95 % of the time, on data with their truth as labels and a file of ticks (crowd.py --write makes
// both); labels wrong by number of decisions, for our order, a random one and the order of
// cleanlab's self-confidence. reader: seconds of a simulated reader, who takes 10 s to read a text
// and 1 s for a label that is shown, until at most a half, a quarter or a tenth of the errors of
// cleaned labels is left, by whole rows and by single labels, the truth drawn from the
// probabilities. halves: decisions to halve them in the order of the page and the most suspicious
// first, on the cells of the gold file and on the built-in crowd. Both learn as often as the page
// does, and without a method judge as it does.
#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "clock.h"
#include "data/annotations/item_data.h"
#include "labelsieve/data_io.h"
#include "labelsieve/predict.h"
#include "labelsieve/prepare.h"
#include "labelsieve/review.h"
#include "pipeline/judge_votes.h"
#include "review/api.h"
#include "review/cell_probabilities.h"
#include "review/review.h"
#include "review/server.h"

namespace {

using namespace sieve;
using nlohmann::json;

Dataset crowd(std::size_t rows, std::size_t labels, std::uint64_t seed, ThreadPool& pool) {
  SynthOptions options;
  options.rows = rows;
  options.labels = labels;
  options.votes = true;
  options.missing = 0.05;
  options.annotators = 12;
  options.seed = seed;
  return make_synthetic(options, pool);
}

// ---- latency

class Client {
 public:
  Client(std::uint16_t port, std::string token)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)),
        head_("Host: 127.0.0.1:" + std::to_string(port) + "\r\nX-Sieve-Token: " + token + "\r\n") {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) std::abort();
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  json ask(const std::string& first, const std::string& body) const {
    const std::string request = first + " HTTP/1.1\r\n" + head_ +
                                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                body;
    if (::send(socket_, request.data(), request.size(), 0) < 0) std::abort();
    std::string all;
    std::size_t need = std::string::npos;
    while (all.size() < need) {
      char part[65536];
      const ssize_t got = ::recv(socket_, part, sizeof part, 0);
      if (got <= 0) std::abort();
      all.append(part, static_cast<std::size_t>(got));
      const std::size_t end = all.find("\r\n\r\n");
      if (need != std::string::npos || end == std::string::npos) continue;
      need = end + 4 + std::stoul(all.substr(all.find("Content-Length: ") + 16));
    }
    return json::parse(all.substr(all.find("\r\n\r\n") + 4));
  }

 private:
  int socket_;
  std::string head_;
};

void tell(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  const auto quantile = [&](double q) {
    return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  fmt::print(
      "{}, {} decisions: median {:.2f} ms, 90 % {:.2f} ms, 99 % {:.2f} ms, longest {:.2f} ms\n",
      what, times.size(), quantile(0.5), quantile(0.9), quantile(0.99), times.back());
}

// Without the wire, the disk and whatever else the machine does.
std::vector<double> processor_times(Review& review, std::size_t decisions) {
  std::vector<double> times;
  const ReviewRequest first{false, "/api/next", {{"reviewer", "one"}}, ""};
  json item = json::parse(answer(review, first).body)["item"];
  for (std::size_t k = 0; k < decisions; ++k) {
    const json body = {{"reviewer", "one"},
                       {"nonce", "one-of-many-" + std::to_string(k)},
                       {"row", item["row"]},
                       {"choices", {{{"label", item["label"]}, {"answer", "no"}}}}};
    const ReviewRequest request{true, "/api/decide", {}, body.dump()};
    const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const ReviewReply reply = answer(review, request);
    times.push_back(1000 * (seconds_of(CLOCK_THREAD_CPUTIME_ID) - before));
    item = json::parse(reply.body)["item"];
  }
  return times;
}

void latency(const std::string& folder, std::size_t rows, std::size_t reviewers,
             std::size_t decisions) {
  ThreadPool pool;
  Judged judged = judge(crowd(rows, 12, 1, pool), for_review({.fit = {.threads = &pool}}));
  ReviewMaterial material;
  material.cells = cells_of(judged.probabilities, judged.data.candidates, judged.crowd->missing);
  material.annotators = judged.crowd->annotators;
  material.trust = Trust::Votes;
  material.data = std::move(judged.data);
  ReviewOptions options;
  options.decisions = folder + "/review_bench.db";
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(options.decisions + end);
  const std::size_t cells = material.cells.size();
  Review review(std::move(material), options);
  const ReviewServer server(review, {});
  std::vector<double> times;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < reviewers; ++who)
    threads.emplace_back([&, who] {
      const Client client(server.port(), server.token());
      const std::string name = "reviewer-" + std::to_string(who);
      Random random(7, Purpose::Test, who);
      json item = client.ask("GET /api/next?reviewer=" + name, "")["item"];
      for (std::size_t k = 0; k < decisions; ++k) {
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(1000000)));
        const json body = {{"reviewer", name},
                           {"nonce", name + "-" + std::to_string(k)},
                           {"row", item["row"]},
                           {"choices", {{{"label", item["label"]}, {"answer", "no"}}}}};
        const auto before = std::chrono::steady_clock::now();
        item = client.ask("POST /api/decide", body.dump())["item"];
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - before;
        const std::lock_guard lock(mutex);
        times.push_back(took.count());
      }
    });
  for (std::thread& thread : threads) thread.join();
  fmt::print("{} suspects, {} reviewers\n", cells, reviewers);
  tell("from request to answer", std::move(times));
  tell("processor time of an answer", processor_times(review, 2000));
}

// ---- race

enum class Who { Ours, Random, Cleanlab };

struct Race {
  const Dataset& data;
  const ReviewCells& cells;
  const Matrix& cleanlab;  // out-of-fold probabilities of a predictor fitted on the ticks
  bool cleaned;            // labels that are not decided: as likely right, else as ticked

  // Wrong labels after each number of decisions up to `most`.
  std::vector<std::size_t> run(Who who, std::size_t most, std::uint64_t seed) const {
    Random random(seed, Purpose::Test, 3);
    std::vector<DecidedCell> decided;
    std::vector<char> done(cells.size(), 0), on(cells.size(), 0);
    const std::vector<float> rank(cells.size(), 0);
    CellProbabilities probabilities = learn(cells, data.labels(), decided, Trust::Votes, rank);
    const auto other_errors = count_outside(*data.truth, listed());
    std::vector<std::uint32_t> order = first_order(who, probabilities, random);
    std::size_t next = 0;
    std::vector<std::size_t> wrong;
    const auto refresh = [&] {
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (!done[i]) on[i] = cleaned ? probabilities.right[i] >= 0.5F : cells[i].ticked;
    };
    const auto is_wrong = [&](std::size_t i) {
      return on[i] != static_cast<char>(data.truth->get(cells[i].at.row, cells[i].at.label));
    };
    std::size_t errors = 0;
    const auto count = [&] {
      errors = other_errors;
      for (std::size_t i = 0; i < cells.size(); ++i) errors += is_wrong(i);
    };
    refresh();
    count();
    wrong.push_back(errors);
    while (wrong.size() <= most && next < order.size()) {
      const std::uint32_t cell = order[next++];
      if (done[cell]) continue;
      const bool truth = data.truth->get(cells[cell].at.row, cells[cell].at.label);
      const bool said = random.below(100) < 95 ? truth : !truth;
      errors -= is_wrong(cell);
      done[cell] = 1;
      on[cell] = said;
      errors += is_wrong(cell);
      Outcome outcome;
      outcome.looked = 1;
      outcome.yes = outcome.on = said;
      decided.push_back({cell, outcome});
      if (decided.size() % 50 == 0 && (cleaned || who == Who::Ours)) {
        probabilities = learn(cells, data.labels(), decided, Trust::Votes, rank);
        refresh();
        count();
        if (who == Who::Ours) order = first_order(who, probabilities, random), next = 0;
      }
      wrong.push_back(errors);
    }
    return wrong;
  }

 private:
  LabelMatrix listed() const {
    LabelMatrix out(data.rows(), data.labels());
    for (std::size_t i = 0; i < cells.size(); ++i) out.set(cells[i].at.row, cells[i].at.label);
    return out;
  }

  std::vector<std::uint32_t> first_order(Who who, const CellProbabilities& probabilities,
                                         Random& random) const {
    if (who == Who::Ours)
      return probabilities
          .orders[static_cast<std::size_t>(cleaned ? Order::Gain : Order::Suspicion)];
    std::vector<std::uint32_t> order(cells.size());
    std::iota(order.begin(), order.end(), 0U);
    if (who == Who::Random) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
      return order;
    }
    const auto self_confidence = [&](std::uint32_t i) {
      const float p = cleanlab(cells[i].at.row, cells[i].at.label);
      return cells[i].ticked ? p : 1 - p;
    };
    std::ranges::stable_sort(order, {}, self_confidence);
    return order;
  }
};

// What the votes alone make likely, for a predictor to learn from.
TrainingData likely_by_votes(const Dataset& data, ThreadPool& pool) {
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  return with_likely_labels(training_data(data),
                            crowd_probabilities(fit_crowd(view, pool), view, pool));
}

void race(const std::string& path, const std::string& ticks, const std::string& method,
          const std::map<std::string, std::string>& settings) {
  ThreadPool pool;
  ReadOptions read;
  read.ticks.path = ticks;
  read.threads = &pool;
  const Dataset data = read_dataset({path}, read);
  const std::unique_ptr<Learner> learner = make_learner(method, settings);
  FitOptions fit;
  fit.threads = &pool;
  const auto scores_of = [&](const TrainingData& rows) {
    return learner->fit_out_of_fold(rows, kDefaultFolds, fit).scores;
  };
  const Matrix cleanlab = scores_of(training_data(data).without_votes());
  const Matrix scores = as_probabilities(scores_of(likely_by_votes(data, pool)));
  const Judged judged =
      judge(data.clone(), for_review({.scores = &scores, .name = method, .fit = fit}));
  const ReviewCells cells =
      cells_of(judged.probabilities, judged.data.candidates, judged.crowd->missing);
  for (const bool cleaned : {false, true}) {
    const Race one{data, cells, cleanlab, cleaned};
    fmt::print(
        "\n{}, {} cells\n| order | 0 | 100 | 300 | 1,000 | 3,000 | decisions to half |\n"
        "|---|---|---|---|---|---|---|\n",
        cleaned ? "undecided labels as likely right" : "undecided labels as ticked", cells.size());
    for (const auto& [who, name] : {std::pair(Who::Ours, "ours"), std::pair(Who::Random, "random"),
                                    std::pair(Who::Cleanlab, "cleanlab's score")}) {
      const std::vector<std::size_t> wrong = one.run(who, cells.size(), 1);
      const auto at = [&](std::size_t k) { return wrong[std::min(k, wrong.size() - 1)]; };
      const auto half = std::ranges::find_if(
          wrong, [&](std::size_t errors) { return 2 * errors <= wrong.front(); });
      fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", name, at(0), at(100), at(300), at(1000),
                 at(3000),
                 half == wrong.end() ? std::string("never") : std::to_string(half - wrong.begin()));
    }
  }
}

// ---- reader

// Cells with their truth, and how long it takes to make cleaned labels better.
struct Reader {
  const ReviewCells& cells;
  std::size_t labels = 0;
  std::vector<int> truth;  // of each cell: 0, 1 or -1, which is neither asked nor counted
  double right = 1;        // of answers; the others leave what the machine proposes

  struct Cost {
    std::size_t errors = 0, decisions = 0, texts = 0;
    double seconds = 0;
    bool reached = false;
  };

  // Until at most these shares of the errors are left, the largest first. Whole rows: all cells of
  // a row after one reading, but for those that the page folds: these are accepted unseen.
  std::vector<Cost> costs_of(Order by, bool rows, const std::vector<double>& left,
                             std::uint64_t seed) const;
};

// A review in progress.
class Reading {
 public:
  Reading(const Reader& reader, Order by, std::uint64_t seed)
      : reader_(reader),
        cells_(reader.cells),
        by_(by),
        random_(seed, Purpose::Test, 5),
        done_(cells_.size(), 0),
        on_(cells_.size(), 0),
        rank_(cells_.size(), 0) {
    learn_anew();
    cost_.errors = errors();
  }

  std::vector<Reader::Cost> until(const std::vector<double>& left, bool rows) {
    std::vector<Reader::Cost> costs;
    std::size_t last_row = cells_.rows();
    for (std::size_t next = 0; next < order().size() && costs.size() < left.size();) {
      const std::uint32_t first = order()[next++];
      if (done_[first] || reader_.truth[first] < 0) continue;
      const std::uint32_t row = cells_[first].at.row;
      if (row != last_row) ++cost_.texts, cost_.seconds += 10;
      last_row = row;
      if (rows)
        decide_row(row);
      else
        decide(first);
      if (decided_.size() >= learnt_ + learnt_anew_after(decided_.size(), ReviewOptions().batch)) {
        learn_anew();
        next = 0;
      }
      const auto wrong = static_cast<double>(errors()), all = static_cast<double>(cost_.errors);
      cost_.reached = true;
      while (costs.size() < left.size() && wrong <= left[costs.size()] * all)
        costs.push_back(cost_);
    }
    cost_.reached = false;
    costs.resize(left.size(), cost_);
    return costs;
  }

 private:
  const std::vector<std::uint32_t>& order() const {
    return now_.orders[static_cast<std::size_t>(by_)];
  }
  bool proposed(std::size_t cell) const { return now_.right[cell] >= 0.5F; }

  void learn_anew() {
    learnt_ = decided_.size();
    now_ = learn(cells_, reader_.labels, decided_, Trust::Votes, rank_);
  }

  std::size_t errors() {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!done_[i]) on_[i] = proposed(i);
      wrong += reader_.truth[i] >= 0 && on_[i] != reader_.truth[i];
    }
    return wrong;
  }

  void take(std::size_t cell, bool on) {
    on_[cell] = on;
    done_[cell] = 1;
    Outcome outcome;
    outcome.looked = 1;
    outcome.yes = outcome.on = on;
    decided_.push_back({cell, outcome});
  }

  void decide(std::size_t cell) {
    take(cell, random_.uniform() < reader_.right ? reader_.truth[cell] != 0 : proposed(cell));
    ++cost_.decisions, cost_.seconds += 1;
  }

  void decide_row(std::size_t row) {
    for (std::size_t i = cells_.first(row); i < cells_.first(row + 1); ++i) {
      if (done_[i] || reader_.truth[i] < 0) continue;
      if (is_sure(now_.right[i]))
        take(i, proposed(i));
      else
        decide(i);
    }
  }

  const Reader& reader_;
  const ReviewCells& cells_;
  Order by_;
  Random random_;
  std::vector<char> done_, on_;
  const std::vector<float> rank_;
  std::vector<DecidedCell> decided_;
  std::size_t learnt_ = 0;
  CellProbabilities now_;
  Reader::Cost cost_;
};

std::vector<Reader::Cost> Reader::costs_of(Order by, bool rows, const std::vector<double>& left,
                                           std::uint64_t seed) const {
  return Reading(*this, by, seed).until(left, rows);
}

std::string shown(const Reader::Cost& cost) {
  return fmt::format("{} | {} | {} | {:.0f}{}", cost.errors, cost.decisions, cost.texts,
                     cost.seconds, cost.reached ? "" : " (all decided)");
}

void print_pairs(const std::string& name, const Reader& reader, std::uint64_t seed, bool by_rows,
                 Order other_order, const std::vector<double>& left) {
  const auto ours = reader.costs_of(by_rows ? Order::Row : Order::Gain, by_rows, left, seed),
             other = reader.costs_of(other_order, false, left, seed);
  for (std::size_t k = 0; k < left.size(); ++k) {
    const double ratio =
        by_rows ? other[k].seconds / ours[k].seconds
                : static_cast<double>(other[k].decisions) / static_cast<double>(ours[k].decisions);
    fmt::print("| {}, {:.0f} % left | {} | {} | {} | {:.2f} |\n", name, 100 * left[k], seed,
               shown(ours[k]), shown(other[k]), ratio);
  }
}

const char* const kReaderHead =
    "| cells | seed | errors | decisions | texts | seconds | errors | decisions | texts | seconds "
    "| "
    "ratio |\n|---|---|---|---|---|---|---|---|---|---|---|\n";

// "default" judges as the page does when nothing is set.
Judged judged_by(Dataset data, const std::string& method, ThreadPool& pool) {
  const bool usual = method == "default";
  return judge(std::move(data), for_review({.method = usual ? all_methods().front().name : method,
                                            .regress = usual,
                                            .fit = {.threads = &pool}}));
}

ReviewCells cells_in(const Judged& judged) {
  return cells_of(judged.probabilities, judged.data.candidates, judged.crowd->missing);
}

Judged judged_texts(const std::string& texts, const std::string& annotations,
                    const std::string& method, ThreadPool& pool) {
  ReadOptions read;
  read.ticks.path = annotations;
  read.threads = &pool;
  return judged_by(read_dataset_with_texts({texts}, read, true), method, pool);
}

void read_as_people_do(const Judged& judged, std::uint64_t first, std::uint64_t last) {
  const ReviewCells cells = cells_in(judged);
  fmt::print("{} cells of {} rows; whole rows, then single labels\n{}", cells.size(),
             judged.data.rows(), kReaderHead);
  const std::vector<float> rank(cells.size(), 0);
  const CellProbabilities start = learn(cells, judged.data.labels(), {}, Trust::Votes, rank);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    Reader reader{cells, judged.data.labels(), std::vector<int>(cells.size())};
    Random random(seed, Purpose::Test, 6);
    for (std::size_t i = 0; i < cells.size(); ++i)
      reader.truth[i] = random.uniform() < static_cast<double>(start.right[i]);
    print_pairs("uncertain labels first", reader, seed, true, Order::Gain, {0.5, 0.25, 0.1});
  }
}

void halve(const Judged& judged, const std::string& gold, const std::string& method,
           std::uint64_t first, std::uint64_t last, ThreadPool& pool) {
  const ReviewCells cells = cells_in(judged);
  fmt::print("uncertain first, then the most suspicious first\n{}", kReaderHead);
  Reader expert{
      .cells = cells, .labels = judged.data.labels(), .truth = std::vector<int>(cells.size(), -1)};
  for (const GoldCell& cell : read_gold(gold, judged.data))
    if (const std::size_t i = cells.find({cell.row, cell.label}); i != ReviewCells::npos)
      expert.truth[i] = cell.on;
  for (const bool by_rows : {false, true})
    print_pairs(by_rows ? "experts, whole rows" : "experts", expert, first, by_rows,
                Order::Suspicion, {0.5});
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Judged built_in = judged_by(crowd(3000, 20, seed, pool), method, pool);
    const ReviewCells own = cells_in(built_in);
    Reader reader{
        .cells = own, .labels = built_in.data.labels(), .truth = std::vector<int>(own.size())};
    for (std::size_t i = 0; i < own.size(); ++i)
      reader.truth[i] = built_in.data.truth->get(own[i].at.row, own[i].at.label);
    print_pairs("built-in crowd", reader, seed, false, Order::Suspicion, {0.5});
  }
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> all(words + 1, words + count);
  const auto number = [&](std::size_t k, std::size_t otherwise) {
    return k < all.size() ? std::stoul(all[k]) : otherwise;
  };
  try {
    if (all.size() > 1 && all[0] == "latency") {
      latency(all[1], number(2, 20000), number(3, 10), number(4, 100));
    } else if (all.size() > 2 && all[0] == "race") {
      std::map<std::string, std::string> settings;
      for (std::size_t k = 4; k < all.size(); ++k) {
        const std::size_t sign = all[k].find('=');
        settings[all[k].substr(0, sign)] = all[k].substr(sign + 1);
      }
      race(all[1], all[2], all.size() > 3 ? all[3] : "blend", settings);
    } else if (all.size() > 3 && (all[0] == "reader" || all[0] == "halves")) {
      ThreadPool pool;
      const Judged judged = judged_texts(all[1], all[2], all.size() > 4 ? all[4] : "default", pool);
      const std::size_t first = number(5, 30), last = number(6, 34);
      if (all[0] == "reader")
        read_as_people_do(judged, first, last);
      else
        halve(judged, all[3], all.size() > 4 ? all[4] : "default", first, last, pool);
    } else {
      fmt::print(stderr,
                 "usage: review_bench latency folder ... | race ... | reader ... | halves ...\n");
      return 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
