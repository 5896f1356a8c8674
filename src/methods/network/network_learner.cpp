#include "methods/network/network_learner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "base/hashes.h"
#include "base/option_specs.h"
#include "base/parse_number.h"
#include "base/random.h"
#include "base/stage_progress.h"
#include "base/team_work.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "labelsieve/threads.h"
#include "linalg/entries.h"
#include "methods/network/network_model.h"

namespace sieve {
namespace {

using Members = std::vector<std::unique_ptr<Member>>;

// By how much the log of the likelihood of all held-out candidates must grow before rates of single
// labels are believed: twice what it grew at most where all labels had one rate (six real sets).
constexpr double kSureGain = 5;

// What is found out before all members are trained. Checkpoints have the numbers.
enum class Stage : std::uint64_t { Choosing = 0, Chosen = 1, Learning = 2 };

// Of what is learnt from, so that a checkpoint is not taken up with other data.
std::uint64_t data_checksum(const TrainingData& data) {
  Fnv sum;
  for_each_row(data.features, [&](std::size_t i) {
    std::size_t next = 0;
    for_each_entry(data.features, i, [&](std::size_t j, float value) {
      sum.add_zeros(j - next);
      sum.add(std::bit_cast<std::uint32_t>(value));
      next = j + 1;
    });
    sum.add_zeros(data.features.cols() - next);
    // Ranks compare their data before anyone checks that it fits together.
    if (i < data.rows())
      for (const std::uint64_t word : data.candidates.words(i)) sum.add(word);
    if (i < data.rows() && data.weights) sum.add(std::bit_cast<std::uint32_t>((*data.weights)[i]));
    if (i < data.rows() && data.probabilities)
      data.probabilities->for_each(i, [&](std::size_t k, float probability) {
        sum.add(k);
        sum.add(std::bit_cast<std::uint32_t>(probability));
      });
  });
  return sum.value();
}

std::uint64_t settings_checksum(const ModelState& state, const ModelState* resume_from) {
  Fnv sum;
  const auto add = [&](const std::string& text) {
    sum.add(text);
    sum.add(text.size());
  };
  add(state.method);
  for (const std::string& name : state.label_names) add(name);
  for (const auto& [key, value] : state.options) add(key), add(value);
  const auto add_choices = [&](const Choices& choices) {
    sum.add(choices.seed.value_or(0));
    sum.add(choices.data_checksum.value_or(0));
    sum.add(choices.storage == RowStorage::Sparse);
    for (const auto& [name, count] : choices.counters) add(name), sum.add(count);
  };
  add_choices(state.choices);
  if (resume_from != nullptr) add_choices(resume_from->choices);
  return sum.value();
}

// Numbers may be spelt in different ways.
bool same_options(const std::map<std::string, std::string>& a,
                  const std::map<std::string, std::string>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    if (x.first != y.first || x.second == y.second) return x == y;
    const auto first = parse_number<double>(x.second), second = parse_number<double>(y.second);
    return first && second && *first == *second;
  });
}

// Error(Data) or Error(Usage), the same on every rank, if one has another set or other settings.
void require_same(const EnsembleSettings& settings, const TrainingData& data,
                  const FitOptions& options) {
  struct Seen {
    std::uint64_t data, settings;
  };
  const ModelState state = described_state(settings.method, settings.options, data, options);
  const std::vector<Seen> all = gathered(
      *options.team, Seen{data_checksum(data), settings_checksum(state, options.resume_from)});
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const std::string name = "rank " + std::to_string(rank);
    if (all[rank].data != all[0].data)
      throw Error(Failure::Data, name + " has other data than rank 0", {},
                  "give every rank the same files");
    if (all[rank].settings != all[0].settings)
      throw Error(Failure::Usage, name + " has other settings than rank 0", {},
                  "give every rank the same method, options, seed and labels");
  }
}

// The smallest number of parts on several ranks unless set otherwise: so 1, 2 and 4 ranks agree.
constexpr std::size_t kPartsOnRanks = 4;

BatchParts layout_of(const EnsembleSettings& settings, const FitOptions& options) {
  const std::size_t ranks = options.team != nullptr ? options.team->size() : 1;
  std::size_t parts = settings.parts;
  if (parts == 0) parts = ranks > 1 ? std::max(ranks, kPartsOnRanks) : 1;
  if (settings.parts == 0 && options.resume_from != nullptr) {
    const auto recorded = options.resume_from->options.find("parts");
    parts = 1;
    if (recorded != options.resume_from->options.end()) {
      const std::string& text = recorded->second;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts);
      if (error != std::errc() || end != text.data() + text.size() || !std::has_single_bit(parts))
        throw Error(Failure::Model, "the checkpoint has no usable number of parts", {},
                    "train again without it");
    }
  }
  return BatchParts(parts, ranks > 1 ? options.team : nullptr);
}

// Of each entry over the members that have it.
EpochReport mean_report(const std::vector<Member*>& members) {
  EpochReport mean;
  std::vector<double> counts;
  for (const Member* member : members)
    for (const auto& [name, value] : member->report()) {
      const auto found = std::ranges::find(mean, name, &EpochReport::value_type::first);
      const auto at = static_cast<std::size_t>(found - mean.begin());
      if (found == mean.end()) mean.push_back({name, 0}), counts.push_back(0);
      mean[at].second += value;
      ++counts[at];
    }
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k].second /= counts[k];
  return mean;
}

// What one fit says of unseen rows is held for all of them: for more cells, folds need less memory.
constexpr std::size_t kMostCellsInOneFit = std::size_t{1} << 26;
constexpr double kMostWithoutLayer = 33554432;  // weights
constexpr double kCopies = 3;  // of the weights, at least: with their mean and the best ones

// One fit: what is trained, how far it is, and how that is written down.
class Fit {
 public:
  Fit(const EnsembleSettings& settings, const TrainingData& data, const FitOptions& options)
      : settings_(settings),
        shares_(settings.shares),
        data_(data),
        options_(options),
        layout_(layout_of(settings, options)),
        data_checksum_(data_checksum(data)),
        scaling_(
            fit_input_scaling(data.features, settings.centred ? Centring::Common : Centring::None)),
        rows_(data.features, scaling_),
        progress_(options.progress != nullptr ? *options.progress : silent_),
        own_pool_(1),
        pool_(options.threads != nullptr ? *options.threads : own_pool_) {
    if (shares_.size() > 1 && settings.reason_against_game)
      untried_ = settings.reason_against_game(data);
    if (!untried_.empty()) shares_ = {0};
  }

  // Of each row by the members that held it out.
  Matrix held_out_scores() {
    Matrix scores(data_.rows(), data_.labels());
    std::array<std::size_t, kHeldOutFolds> members{};
    for (const auto& member : members_) ++members[member->plan().fold % kHeldOutFolds];
    for (const auto& member : members_) {
      const std::size_t others = members[member->plan().fold % kHeldOutFolds];
      member->add_held_out_scores(pool_, 1.0F / static_cast<float>(others), scores);
    }
    return scores;
  }

  // What wins: a choice, and the noise if rates of single labels do.
  std::pair<MemberPlan, NoiseModel> choose_plan() {
    plan_choices();
    only_chooses_ = true;
    find_out();
    return {members_.front()->plan(), std::move(learnt_)};
  }

  // What was reached before a rank was lost is not lost with it.
  ModelState run() {
    try {
      return train_all();
    } catch (const Error& error) {
      if (error.kind() == Failure::Io && reached_) options_.checkpoints->save(*reached_);
      throw;
    }
  }

 private:
  static double held_out(const std::unique_ptr<Member>& member) { return member->best_loss(); }

  ModelState train_all() {
    plan_choices();
    if (options_.resume_from != nullptr) resume();
    if (stage_ != Stage::Chosen) {
      find_out();
      plan_members();
    }
    train();
    keep_best_ensemble();
    return finished_state();
  }

  // Leaves the winner alone.
  void find_out() {
    if (stage_ == Stage::Choosing) {
      const bool learns = settings_.learns_rates && !data_.probabilities;
      if (members_.size() > 1 || learns) train();
      keep_only(choice_ = best_choice());
      if (!learns) return;
      learnt_ = members_.front()->learn_noise_from_held_out(pool_);
      add_rival();
    }
    train();
    const Member &winner = *members_[0], &rival = *members_[1];
    const double gain =
        (winner.best_loss() - rival.best_loss()) * static_cast<double>(winner.held_out_rows());
    if (gain < kSureGain) learnt_ = {};
    keep_only(gain < kSureGain ? 0 : 1);
  }

  void keep_only(std::size_t index) {
    std::unique_ptr<Member> kept = std::move(members_[index]);
    members_.clear();
    members_.push_back(std::move(kept));
  }

  // Like the winner, with the rates that were learnt.
  void add_rival() {
    stage_ = Stage::Learning;
    const MemberPlan like = members_.front()->plan();
    add(like, 0, like.share);
  }

  std::size_t best_choice() const {
    const auto best = std::ranges::min_element(members_, {}, &held_out);
    return static_cast<std::size_t>(best - members_.begin());
  }

  // A choice that gets worse and was never as good as the best so far.
  bool hopeless(const Member& member, double best) const {
    return member.between_epochs() && member.epochs() > member.best_epoch() &&
           member.best_loss() > best;
  }

  // Who goes on. A member that was stopped in the middle of a round of choices catches up first:
  // when the next are given up, all have made the same number of epochs, as without the stop.
  std::vector<Member*> active_members() const {
    const bool gives_up = stage_ != Stage::Chosen && data_.features.is_sparse();
    const double best = held_out(members_[best_choice()]);
    std::vector<Member*> active;
    for (const auto& member : members_)
      if (!member->finished() && !(gives_up && hopeless(*member, best)))
        active.push_back(member.get());
    // The winner need not be trained to its end.
    if (only_chooses_ && active.size() == 1 && active[0]->best_loss() == best) return {};
    if (!gives_up || active.empty()) return active;
    const auto least = std::ranges::min(active, {}, &Member::epochs)->epochs();
    std::erase_if(active, [&](const Member* member) { return member->epochs() > least; });
    return active;
  }

  void add(MemberPlan plan, std::size_t number, double share) {
    plan.share = share;
    plan.fold = number;
    plan.seed = Random(options_.seed, Purpose::Init, number, 1).bits();
    MemberSettings network = settings_.network;
    network.layout = layout_;
    if (!learnt_.rate.empty()) network.noise = learnt_;
    if (settings_.plain_choices && share == 0) network.make_trainee = make_plain_trainee;
    members_.push_back(std::make_unique<Member>(rows_, Targets(data_), network, plan));
  }

  // Where it is known how likely labels are right, there is no noise to look for.
  std::vector<double> noise_shares() const {
    return data_.probabilities ? std::vector{0.0} : settings_.noise_shares;
  }

  // A network without a hidden layer has a weight for each feature and label. Where those are very
  // many it is not tried, unless it is asked for. Fixed, so that all machines give one model.
  std::vector<std::size_t> depths() const {
    std::vector<std::size_t> depths = settings_.depths;
    if (depths.size() > 1 && weights_of(0) > kMostWithoutLayer) std::erase(depths, 0U);
    return depths;
  }

  double weights_of(std::size_t depth) const {
    const auto inputs = static_cast<double>(data_.features.cols());
    const auto labels = static_cast<double>(data_.labels());
    const auto width = static_cast<double>(settings_.network.width);
    if (depth == 0) return inputs * labels;
    return inputs * width + static_cast<double>(depth - 1) * width * width + width * labels;
  }

  // Choices are in memory together, and so are members.
  void require_room() const {
    double choices = 0, largest = 0;
    for (const std::size_t depth : depths()) {
      choices +=
          weights_of(depth) * static_cast<double>(noise_shares().size() * settings_.betas.size());
      largest = std::max(largest, weights_of(depth));
    }
    const double members = largest * static_cast<double>(settings_.members * shares_.size());
    require_memory(kCopies * sizeof(float) * std::max(choices, members),
                   "networks for " + std::to_string(data_.features.cols()) + " features and " +
                       std::to_string(data_.labels()) + " labels",
                   "make width smaller, or keep fewer features or labels");
  }

  void plan_choices() {
    members_.clear();
    require_room();
    const double share = settings_.plain_choices ? 0 : settings_.shares.front();
    for (const std::size_t depth : depths())
      for (const double noise_share : noise_shares())
        for (const double beta : settings_.betas) add({depth, noise_share, beta}, 0, share);
    stage_ = Stage::Choosing;
  }

  // Members differ in seed and held-out rows.
  void plan_members() {
    stage_ = Stage::Chosen;
    std::unique_ptr<Member> winner = std::move(members_.front());
    const MemberPlan like = winner->plan();
    members_.clear();
    for (const double share : shares_)
      for (std::size_t number = 0; number < settings_.members; ++number)
        if (number == 0 && share == like.share)
          members_.push_back(std::move(winner));
        else
          add(like, number, share);
  }

  void keep_best_ensemble() {
    const std::size_t size = settings_.members;
    std::size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (std::size_t first = 0; first < members_.size(); first += size) {
      double loss = 0;
      for (std::size_t i = 0; i < size; ++i) loss += held_out(members_[first + i]);
      if (loss < least) least = loss, best = first;
    }
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(best);
    Members kept(std::make_move_iterator(begin),
                 std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(size)));
    members_ = std::move(kept);
  }

  // One member a thread; with a team one after another, because ranks meet within each step. A
  // member alone is not run as a body of the pool: so its steps can have all threads.
  void advance(const std::vector<Member*>& active, const Progress& progress) {
    if (layout_.team() == nullptr && active.size() > 1)
      pool_.for_each(active.size(), [&](std::size_t i) { active[i]->advance(pool_, &progress); });
    else
      for (Member* member : active) member->advance(pool_, &progress);
  }

  // All members go on epoch by epoch until each has stopped of itself.
  void train() {
    StageProgress& progress = progress_;
    const std::size_t total = members_.size() * settings_.network.max_epochs;
    progress.until(stage_ == Stage::Chosen ? 1 : stage_ == Stage::Learning ? 0.5 : 0.4);
    progress.begin(stage_ == Stage::Chosen     ? settings_.stage
                   : stage_ == Stage::Learning ? "learning rates of noise"
                                               : "choosing the network",
                   total);
    while (true) {
      if (layout_.team() != nullptr && options_.checkpoints != nullptr) reached_ = checkpoint();
      const std::vector<Member*> active = active_members();
      if (active.empty()) break;
      advance(active, progress);
      if (std::ranges::all_of(active, &Member::between_epochs)) report(active, progress);
      if (options_.checkpoints != nullptr && options_.checkpoints->due()) save_checkpoint();
      if (stop_asked(layout_, &progress)) interrupt();
    }
    progress.end();
  }

  void report(const std::vector<Member*>& active, Progress& progress) {
    std::size_t done = 0;
    for (const auto& member : members_)
      done += member->finished() ? settings_.network.max_epochs : member->epochs();
    EpochReport mean = mean_report(active);
    std::string note;
    for (const auto& [name, value] : mean)
      note += (note.empty() ? "" : "  ") + name + " " + std::to_string(value).substr(0, 6);
    progress.update(done, note);
    mean.emplace_back("members", static_cast<double>(active.size()));
    ++epochs_;
    if (options_.on_epoch) options_.on_epoch(epochs_, mean);
  }

  [[noreturn]] void interrupt() {
    if (options_.checkpoints != nullptr) save_checkpoint();
    throw Error(Failure::Interrupted, "stopped on request", {},
                options_.checkpoints != nullptr
                    ? "continue from the checkpoint with " + term("resume_from")
                    : "");
  }

  ModelState empty_state() const {
    ModelState state = described_state(settings_.method, settings_.options, data_, options_);
    state.choices.data_checksum = data_checksum_;
    state.options.erase("parts");
    if (layout_.count() > 1) state.options["parts"] = std::to_string(layout_.count());
    return state;
  }

  void visit(StateVisitor& visitor) {
    for (std::size_t i = 0; i < members_.size(); ++i)
      members_[i]->visit("member" + std::to_string(i), visitor);
  }

  // All 0 where nothing was learnt.
  void visit_learnt(StateVisitor& visitor) {
    Array<float> rate(data_.labels()), prior(data_.labels());
    std::ranges::copy(learnt_.rate, rate.begin());
    std::ranges::copy(learnt_.prior, prior.begin());
    visitor.array_if_any("learnt/rate", rate);
    visitor.array_if_any("learnt/prior", prior);
    if (std::ranges::all_of(rate, [](float value) { return value == 0; })) return;
    const auto is_share = [](float value) { return value > 0 && value < 1; };
    if (!std::ranges::all_of(rate, is_share) || !std::ranges::all_of(prior, is_share))
      throw Error(Failure::Model, "the checkpoint belongs to another training");
    learnt_ = {{rate.begin(), rate.end()}, {prior.begin(), prior.end()}};
  }

  void save_checkpoint() { options_.checkpoints->save(checkpoint()); }

  ModelState checkpoint() {
    ModelState state = empty_state();
    StateWriter writer(state);
    auto stage = static_cast<std::uint64_t>(stage_);
    writer.number("chosen", stage);
    writer.number("choice", choice_);
    writer.number("epochs", epochs_);
    visit_learnt(writer);
    visit(writer);
    return state;
  }

  void resume() {
    const ModelState& from = *options_.resume_from;
    const ModelState expected = empty_state();
    std::map<std::string, std::string> recorded = from.options;
    // Options that earlier versions did not have.
    if (expected.options.contains("budget")) recorded.try_emplace("budget", "normal");
    if (const auto rates = expected.options.find("label-rates"); rates != expected.options.end())
      recorded.insert(*rates);
    drop_absorbed(recorded);
    if (from.method != expected.method || !same_options(recorded, expected.options) ||
        from.label_names != expected.label_names || from.choices.seed != expected.choices.seed ||
        from.choices.data_checksum != expected.choices.data_checksum)
      throw foreign_checkpoint();
    StateReader reader(from);
    std::uint64_t number = 0;
    reader.number("chosen", number);
    reader.number("choice", choice_);
    reader.number("epochs", epochs_);
    visit_learnt(reader);
    const auto stage = static_cast<Stage>(number);
    const bool learnt = !learnt_.rate.empty();
    if (number > 2 || choice_ >= members_.size() || (stage == Stage::Choosing && learnt) ||
        (stage == Stage::Learning && !learnt))
      throw Error(Failure::Model, "the checkpoint belongs to another training");
    if (stage != Stage::Choosing) go_to(stage);
    visit(reader);
  }

  // Makes the members of a later stage; what they have learnt comes from the checkpoint.
  void go_to(Stage stage) {
    keep_only(choice_);
    if (!learnt_.rate.empty()) add_rival();
    if (stage == Stage::Learning) return;
    keep_only(members_.size() - 1);
    plan_members();
  }

  ModelState finished_state() {
    ModelState state = empty_state();
    const MemberPlan& like = members_.front()->plan();
    state.choices.depth = like.depth;
    state.choices.noise_share = like.noise_share;
    if (!learnt_.rate.empty())
      state.notes["noise_rates"] = "one for each label, learnt from held-out candidates";
    state.choices.beta = like.beta;
    if (settings_.plain_choices) state.choices.share = like.share;
    if (settings_.shares.size() > 1 && like.share == 0)
      state.notes["kept"] =
          "the predictor alone: the game " +
          (untried_.empty() ? "was tried and did not make held-out candidates more likely"
                            : "was not tried, " + untried_) +
          ", so the model is that of mlp-noise with one rate of noise";
    for (std::size_t i = 0; i < members_.size(); ++i)
      state.notes["member" + std::to_string(i)] = std::to_string(members_[i]->epochs()) +
                                                  " epochs, held-out loss " +
                                                  std::to_string(members_[i]->best_loss());
    return network_state(std::move(state), scaling_, members_);
  }

  const EnsembleSettings& settings_;
  std::vector<double> shares_;  // those that are tried
  std::string untried_;         // why others are not
  const TrainingData& data_;
  const FitOptions& options_;
  BatchParts layout_;
  std::uint64_t data_checksum_;
  InputScaling scaling_;
  NetRows rows_;
  Progress silent_;
  StageProgress progress_;
  ThreadPool own_pool_;
  ThreadPool& pool_;
  Members members_;
  NoiseModel learnt_;                  // empty: each member guesses from its noise share
  std::optional<ModelState> reached_;  // by all ranks
  Stage stage_ = Stage::Choosing;
  bool only_chooses_ = false;
  std::uint64_t choice_ = 0, epochs_ = 0;  // epochs: rounds over all members, as reported
};

}  // namespace

std::unique_ptr<Learner> NetworkLearner::settled(const TrainingData& given,
                                                 const FitOptions& options) const {
  if (settings_.depths.size() * settings_.noise_shares.size() * settings_.betas.size() == 1)
    return nullptr;
  const TrainingData data = learnable(given, settings_.row_weights);
  auto [plan, noise] = Fit(settings_, data, options).choose_plan();
  EnsembleSettings settings = settings_;
  settings.learns_rates = false;
  if (!noise.rate.empty()) settings.network.noise = std::move(noise);
  settings.depths = {plan.depth};
  settings.noise_shares = {plan.noise_share};
  settings.betas = {plan.beta};
  return std::make_unique<NetworkLearner>(std::move(settings));
}

// Members hold out a part each anyway: one for each part takes a third of the time of fits of three
// members without it.
std::unique_ptr<Learner> NetworkLearner::with_member_a_fold(std::size_t folds) const {
  if (!settings_.network.held_out_stopping || folds != kHeldOutFolds) return nullptr;
  EnsembleSettings settings = settings_;
  settings.members = std::max(settings.members, kHeldOutFolds);
  return std::make_unique<NetworkLearner>(std::move(settings));
}

OutOfFold NetworkLearner::fit_out_of_fold(const TrainingData& given, std::size_t folds,
                                          const FitOptions& fit) const {
  check_folds(folds, given.rows());
  const TrainingData data = stored_by_content(given);  // once for all fits
  if (data.rows() <= kMostCellsInOneFit / std::max<std::size_t>(data.labels(), 1))
    if (const auto more = with_member_a_fold(folds))
      if (auto judged = out_of_fold_in_one_fit(*more, data, fit)) {
        if (!scores_out_of_fold()) judged->folds = folds;
        return *std::move(judged);
      }
  if (scores_out_of_fold())
    if (auto judged = out_of_fold_in_one_fit(*this, data, fit)) return *std::move(judged);
  Progress silent;
  StageProgress progress(fit.progress != nullptr ? *fit.progress : silent);
  FitOptions own = out_of_fold_fit(fit);
  own.progress = &progress;
  progress.until(0.3);
  const std::unique_ptr<Learner> judge = settled(data, own);
  progress.until(1);
  return judge != nullptr ? judge->Learner::fit_out_of_fold(data, folds, own)
                          : Learner::fit_out_of_fold(data, folds, own);
}

std::unique_ptr<Model> NetworkLearner::fit(const TrainingData& given,
                                           const FitOptions& options) const {
  if (options.team != nullptr) require_same(settings_, given, options);
  const TrainingData data = learnable(given, settings_.row_weights);
  Fit fit(settings_, data, options);
  ModelState state = fit.run();
  Matrix out_of_fold;
  if (scores_out_of_fold() && data.rows() >= kHeldOutFolds) out_of_fold = fit.held_out_scores();
  return std::make_unique<NetworkModel>(std::move(state), std::move(out_of_fold));
}

}  // namespace sieve
