// From noisy ticks to a model, its predictions, and the ticks to look at again.
#include <labelsieve/labelsieve.h>

#include <iostream>

int main() {
  // 600 rows of a made-up crowd: about half of what it ticked is wrong. Data of your own comes from
  // sieve::read_dataset({"ticks.csv"}).
  sieve::ThreadPool threads;
  const sieve::Dataset data = sieve::make_synthetic({.rows = 600}, threads);
  const sieve::Split split = sieve::split_random(data.rows(), 0.25, 1);
  const sieve::Dataset test = data.select_rows(split.test);

  // Train on the ticks alone: no method is shown the truth. Where it is known who ticked what, that
  // is weighed first.
  const std::shared_ptr<const sieve::Learner> network =
      sieve::make_mlp_noise({.members = 1, .epochs = 20});
  const sieve::FitOptions fit{.seed = 1, .threads = &threads};
  const sieve::Trained trained = sieve::train(
      data, {.method = "mlp-noise", .learner = network, .rows = split.train, .fit = fit});
  sieve::save_model(*trained.model, "quickstart.model", sieve::IfExists::Replace);

  // Predict, and measure against the truth that stayed behind.
  const auto loaded = sieve::load_model("quickstart.model");
  const sieve::Prediction predicted = sieve::predict(*loaded, test, threads);
  std::cout << "average precision " << sieve::average_precision(predicted.scores, *test.truth).value
            << ", micro F1 " << sieve::micro_f1(predicted.labels, *test.truth).value << " (ticks "
            << sieve::micro_f1(test.candidates, *test.truth).value << ")\n";

  // Judge every tick by a model that has not seen its row, and remove what looks wrong.
  const sieve::Cleaned cleaned = sieve::clean(sieve::judge(
      data.clone(), {.method = "mlp-noise", .learner = network, .folds = 3, .fit = fit}));
  std::cout << "removed " << cleaned.labels.removed << " of " << data.candidates.count()
            << " ticks: micro F1 " << sieve::micro_f1(data.candidates, *data.truth).value << " -> "
            << sieve::micro_f1(cleaned.labels.kept, *data.truth).value << "\n";
  for (std::size_t i = 0; i < 3; ++i) {
    const sieve::JudgedCandidate& tick = cleaned.suspects[i];
    std::cout << "look at row " << tick.row << ", " << data.label_names[tick.label]
              << ": right with probability " << tick.probability << "\n";
  }
}
