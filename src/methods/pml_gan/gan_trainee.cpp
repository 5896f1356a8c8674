#include "methods/pml_gan/gan_trainee.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "labelsieve/error.h"
#include "nn/functions.h"

namespace sieve {
namespace {

// Of the GAN that the paper's description follows layer for layer.
constexpr double kTemplateNormEpsilon = 0.8;

constexpr float kPossible = 0.05F;  // by votes, a label that is less likely right is no candidate

PerNetwork<MlpSpec> specs_of(const TraineeParts& parts, const GanSettings& s) {
  const std::size_t inputs = parts.rows.inputs(), labels = parts.targets.labels();
  constexpr Activation kLeaky = Activation::LeakyRelu;
  const bool paper = !s.objective.calibrated;  // widths are not in it: those of its template
  const std::vector<std::size_t> generator =
      paper ? std::vector<std::size_t>{128, 256, 512, 1024}
            : std::vector<std::size_t>{128, s.hidden, s.hidden, s.hidden};
  const std::size_t first = paper ? 512 : s.hidden;
  const std::size_t second = paper ? 256 : s.hidden;
  PerNetwork<MlpSpec> specs{parts.predictor,
                            {inputs,
                             {{first, kLeaky, false, s.dropout},
                              {second, kLeaky, false, s.dropout},
                              {labels, Activation::Identity}}},
                            {labels,
                             {{generator[0]},
                              {generator[1], kLeaky, true},
                              {generator[2], kLeaky, true},
                              {generator[3], kLeaky, true},
                              {inputs, Activation::Tanh}}},
                            {inputs, {{first}, {second}, {1, Activation::Identity}}}};
  if (paper) {
    specs.predictor.layers = {{first}, {second}, {labels, Activation::Identity}};
    specs.generator.norm_epsilon = kTemplateNormEpsilon;
  }
  return specs;
}

// The probability that a candidate is noise before the features are looked at.
std::vector<float> prior_noise(const NoiseModel& model) {
  std::vector<float> shares;
  for (std::size_t k = 0; k < model.rate.size(); ++k) {
    const float wrong = model.rate[k] * (1 - model.prior[k]);
    shares.push_back(wrong / (model.prior[k] + wrong));
  }
  return shares;
}

class GanTrainee final : public Trainee {
 public:
  GanTrainee(const TraineeParts& parts, const GanSettings& settings)
      : parts_(parts),
        settings_(settings),
        players_(make_players(specs_of(parts, settings), parts.max_batch, settings.prior_rows,
                              parts.layout, parts.seed)),
        scaled_mean_(parts.rows.scaled_mean()),
        input_room_(parts.rows.room(most_rows())),
        candidates_(most_rows(), parts.targets.labels()),
        right_(by_votes() ? most_rows() : 0, parts.targets.labels()),
        scaled_(players_->needs_scaled() ? most_rows() : 0, parts.rows.inputs()),
        prior_(parts.layout.my_rows(settings.prior_rows).count(), parts.targets.labels()),
        part_sums_(parts.layout.count()) {
    if (settings.objective.adversarial != 0)
      parts.layout.require_rows(settings.prior_rows, "label vectors of the prior");
    settings_.objective.adversarial *= parts.beta;
    settings_.objective.noise_share = 1 - parts.share;
    // L_g is a sum over features; of the calibrated objective, relative to their variance.
    if (settings.objective.calibrated)
      settings_.objective.generation /= std::max(parts.rows.total_variance(), 1e-6);
    for (const float rate : parts.noise.rate) log_rates_.push_back(std::log(std::max(rate, 1e-6F)));
    if (settings.objective.calibrated) start_calibrated();
    players_->start(parts.pace, parts.lazily() ? &parts_.adam : nullptr);
  }

  // One iteration of Algorithm 1: m rows come as `batch`, n label vectors are drawn from the prior;
  // one step of G, D~ and F together, then k steps of D, each with a fresh draw.
  double step(ThreadPool& pool, std::uint64_t iteration,
              std::span<const std::size_t> batch) override {
    const GanBatch<float> shown = gather(batch);
    players_->see_labels(pool, shown, {true, parts_.seed, iteration});
    draw_prior(iteration, 0, batch.size());
    const View<const float> prior = prior_.view(prior_.rows());
    const GanLosses losses =
        players_->generator_turn(pool, parts_.adam, shown, prior, settings_.objective);
    const bool adversary = settings_.objective.adversarial != 0;
    AdamOptions discriminator_adam = parts_.adam;
    discriminator_adam.beta1 = settings_.discriminator_beta1;
    for (std::size_t k = 1; adversary && k <= settings_.discriminator_steps; ++k) {
      draw_prior(iteration, k, batch.size());
      players_->discriminator_turn(pool, discriminator_adam, shown, prior);
    }
    note(losses, batch.size(), adversary);
    return losses.classification;
  }

  const Mlp<float>& predictor() const override { return players_->predictor(); }
  void settle(ThreadPool& pool) override { players_->settle(pool); }
  const Array<float>& average() const override { return players_->average(); }
  void for_changed(const VisitStretch& visit) const override {
    const auto& rows = players_->predictor_rows();
    for_changed_parameters(predictor(), rows ? &*rows : nullptr, visit);
  }

  void report_epoch(EpochReport& report) override {
    const double steps = std::max(sums_.steps, 1.0), cells = std::max(sums_.candidates, 1.0);
    report.insert(report.end(),
                  {{"L_d", sums_.losses.disambiguation / steps},
                   {"L_g", sums_.losses.generation / steps},
                   {"L_adv", sums_.losses.adversarial / steps},
                   {"discriminator_accuracy", sums_.judged > 0 ? sums_.right / sums_.judged : 0},
                   {"mean_delta", 1 - sums_.confidence / cells},
                   {"mean_z", sums_.confidence / cells}});
    const double labels_left = sums_.confidence / std::max(sums_.rows, 1.0);
    sums_ = {};
    if (labels_left < settings_.collapse_below)
      throw Error(Failure::Training,
                  "the training collapsed: the disambiguator calls nearly every candidate noise",
                  {}, "use the calibrated objective, or continue anyway with on-collapse=continue");
  }

  void visit(const std::string& name, StateVisitor& visitor) override {
    PerNetwork<Array<float>>& parameters = players_->parameters();
    PerNetwork<AdamState<float>>& optimisers = players_->optimisers();
    const auto network = [&](const char* which, Array<float>& values, AdamState<float>& state) {
      visitor.array(name + which + "/parameters", values);
      visit_adam(name + which, state, visitor);
    };
    network("/predictor", parameters.predictor, optimisers.predictor);
    network("/disambiguator", parameters.disambiguator, optimisers.disambiguator);
    network("/generator", parameters.generator, optimisers.generator);
    network("/discriminator", parameters.discriminator, optimisers.discriminator);
    // Under the names that checkpoints have had from the beginning.
    visitor.real(name + "/sum1", sums_.losses.generation);
    visitor.real(name + "/sum2", sums_.losses.adversarial);
    visitor.real(name + "/sum3", sums_.losses.disambiguation);
    visitor.real(name + "/sum4", sums_.right);
    visitor.real(name + "/sum5", sums_.judged);
    visitor.real(name + "/sum6", sums_.confidence);
    visitor.real(name + "/sum7", sums_.candidates);
    visitor.real(name + "/sum8", sums_.rows);
    visitor.real(name + "/sum9", sums_.steps);
    const auto rows = [&](const char* which, auto& lazy, const AdamState<float>& state) {
      if (lazy) visit_lazy_rows(name + which, *lazy, state.step, visitor);
    };
    rows("/predictor", players_->predictor_rows(), optimisers.predictor);
    rows("/disambiguator", players_->disambiguator_rows(), optimisers.disambiguator);
    visitor.array(name + "/average", players_->average());
  }

 private:
  // D~ begins at the noise that the candidate frequencies tell, G at the mean row.
  void start_calibrated() {
    PerNetwork<Array<float>>& parameters = players_->parameters();
    start_output_at(players_->predictor(), parts_.noise.prior, parameters.predictor);
    start_output_at(players_->disambiguator(), prior_noise(parts_.noise), parameters.disambiguator);
    for (std::size_t j = 0; j < scaled_mean_.size(); ++j)
      parameters.generator[players_->generated().shift + j] =
          std::atanh(std::clamp(scaled_mean_[j], -0.99F, 0.99F));
  }

  std::size_t most_rows() const { return parts_.layout.most_of_mine(parts_.max_batch); }

  GanBatch<float> gather(std::span<const std::size_t> batch) {
    const BatchParts::Rows mine = parts_.layout.my_rows(batch.size());
    const auto rows = batch.subspan(mine.first, mine.count());
    gather_labels(rows);
    if (settings_.objective.generation != 0 && players_->needs_scaled())
      for (std::size_t i = 0; i < rows.size(); ++i)
        parts_.rows.scaled_row(rows[i], {scaled_.row(i), scaled_.cols()});
    GanBatch<float> shown;
    shown.features = parts_.rows.batch(rows, input_room_);
    shown.scaled = scaled_.view(rows.size());
    shown.candidates = candidates_.view(rows.size());
    if (by_votes()) shown.right = right_.view(rows.size());
    shown.batch_rows = batch.size();
    shown.batch_prior = settings_.prior_rows;
    shown.centre = scaled_mean_.data();
    shown.log_noise_rates = log_rates_.data();
    if (!parts_.targets.weights().empty()) {
      weights_.clear();
      for (const std::size_t row : rows) weights_.push_back(parts_.targets.weight(row));
      shown.weights = weights_.data();
    }
    return shown;
  }

  // Whether votes say what the noise model would have to guess.
  bool by_votes() const {
    return settings_.objective.calibrated && parts_.targets.are_probabilities();
  }

  // By votes, candidates are the labels that may well be right.
  void gather_labels(std::span<const std::size_t> rows) {
    if (!by_votes()) return gather_targets(parts_.targets.candidates(), rows, candidates_);
    gather_targets(parts_.targets, rows, right_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < right_.cols(); ++k)
        candidates_(i, k) = right_(i, k) >= kPossible ? 1.0F : 0.0F;
  }

  // Label vectors are drawn from the rows of their own part.
  void draw_prior(std::uint64_t iteration, std::uint64_t draw, std::size_t batch_rows) {
    if (settings_.objective.adversarial == 0) return;
    const std::size_t all = settings_.prior_rows, first = parts_.layout.my_rows(all).first;
    for (std::size_t part = 0; part < parts_.layout.mine(); ++part) {
      const auto [from, to] = parts_.layout.my_part(part, batch_rows);
      const View<const float> z = players_->confidence().slice(from, to);
      const auto [begin, end] = parts_.layout.my_part(part, all);
      for (std::size_t j = begin; j < end; ++j) {
        Random random(parts_.seed, Purpose::Prior, iteration, draw * all + first + j);
        draw_labels(random, z, prior_.row(j));
      }
    }
  }

  // paper: z^ ~ P(z^), not said which: uniform in [0, 1]. Calibrated: Bernoulli(z) for z of a
  // random row of the batch.
  void draw_labels(Random& random, View<const float> z, float* labels) const {
    const std::size_t i = random.below(z.rows);
    for (std::size_t k = 0; k < z.cols; ++k) {
      const double u = random.uniform();
      labels[k] = settings_.objective.calibrated ? u < double{z(i, k)} : static_cast<float>(u);
    }
  }

  struct Sums {
    GanLosses losses;
    double right = 0, judged = 0, confidence = 0, candidates = 0, rows = 0, steps = 0;
  };

  // The first part's rows are added to what there is, then the others' are.
  void note(const GanLosses& losses, std::size_t rows, bool adversary) {
    sums_.losses += losses;
    sums_.losses.classification = 0;  // kept by the member
    sums_.steps += 1;
    sums_.rows += static_cast<double>(rows);
    for (std::size_t i = 0; i < parts_.layout.mine(); ++i) {
      const std::size_t part = parts_.layout.first() + i;
      part_sums_[part] = part == 0 ? sums_ : Sums();
      const BatchParts::Rows shown = parts_.layout.my_part(i, rows);
      note_labels(shown, part_sums_[part]);
      if (!adversary) continue;
      const BatchParts::Rows made = parts_.layout.my_part(i, settings_.prior_rows);
      note_judged(players_->real_logits(), shown, true, part_sums_[part]);
      note_judged(players_->fake_logits(), made, false, part_sums_[part]);
    }
    parts_.layout.gather(std::span<Sums>(part_sums_));
    sums_ = part_sums_.front();
    for (std::size_t part = 1; part < part_sums_.size(); ++part)
      for (double Sums::*sum : {&Sums::right, &Sums::judged, &Sums::confidence, &Sums::candidates})
        sums_.*sum += part_sums_[part].*sum;
  }

  void note_labels(BatchParts::Rows rows, Sums& sums) const {
    for (std::size_t i = rows.first; i < rows.last; ++i)
      for (std::size_t k = 0; k < candidates_.cols(); ++k) {
        sums.confidence += static_cast<double>(players_->confidence()(i, k));
        sums.candidates += static_cast<double>(candidates_(i, k));
      }
  }

  static void note_judged(View<const float> logits, BatchParts::Rows rows, bool real, Sums& sums) {
    for (std::size_t i = rows.first; i < rows.last; ++i) sums.right += (logits(i, 0) > 0) == real;
    sums.judged += static_cast<double>(rows.count());
  }

  TraineeParts parts_;
  GanSettings settings_;
  std::unique_ptr<GanPlayers<float>> players_;
  std::vector<float> scaled_mean_, log_rates_, weights_;
  BatchRoom input_room_;
  Panel<float> candidates_, right_, scaled_, prior_;
  Sums sums_;
  std::vector<Sums> part_sums_;
};

}  // namespace

std::unique_ptr<Trainee> make_gan_trainee(const TraineeParts& parts, const GanSettings& settings) {
  return std::make_unique<GanTrainee>(parts, settings);
}

}  // namespace sieve
