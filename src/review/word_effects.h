#pragma once

#include <sys/resource.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "data/recipe/recipe.h"
#include "labelsieve/learner.h"
#include "review/row_texts.h"

namespace sieve {

// Lowers the priority of the calling thread, for work in the background: reviewers wait for the
// server, nobody waits for these threads.
inline void lower_thread_priority() {
  constexpr int kLowestPriority = 19;
  setpriority(PRIO_PROCESS, 0, kLowestPriority);
}

// How far each word of a row moves what a model says of its labels: the log-odds of a label with
// the word, less those without it.
struct WordEffects {
  std::unordered_map<std::uint64_t, std::uint32_t> words;  // by hash; the row of `effects`
  Matrix effects;                                          // words x labels
  std::vector<float> largest;                              // of each label, by size

  double of(std::uint64_t hash, std::uint32_t label) const;
};

// Takes the words out of the texts of a row one by one, and asks the model each time.
class WordOcclusion {
 public:
  // The model has learnt from texts, and the page shows them.
  static bool is_possible(const Model* model, const RowTexts& texts);
  // All of it has to stay.
  WordOcclusion(const Model& model, const Dataset& data, const RowTexts& texts);

  WordEffects of_row(std::size_t row, ThreadPool& pool) const;

 private:
  struct Column {
    std::size_t text = 0;            // among the columns of the texts
    std::size_t first = 0, end = 0;  // its features
    std::size_t mask = 0;            // of hashed terms; 0: they have features of their own
    TermIndex terms;
  };
  struct Word {
    std::uint64_t hash = 0;
    std::vector<std::uint32_t> features;  // its own, those of its pairs and of its letters
  };
  std::vector<Word> words_of(std::size_t row) const;

  const Model& model_;
  const RowTexts& texts_;
  Features features_;
  TextOptions options_;
  std::vector<Column> columns_;
};

// Effects of rows, worked out beside whoever asks for them. The last ones are kept.
class WordMarker {
 public:
  // `beside`: in a thread of its own; else find() waits for it.
  WordMarker(const Model& model, const Dataset& data, const RowTexts& texts, bool beside);
  ~WordMarker();
  WordMarker(const WordMarker&) = delete;
  WordMarker& operator=(const WordMarker&) = delete;

  // Null if they are not there yet: they will be, the sooner the later they were asked for.
  std::shared_ptr<const WordEffects> find(std::size_t row);
  // Rows that are likely to be asked for; the ones before are not any more.
  void expect(std::span<const std::size_t> rows);

 private:
  void work();
  void keep(std::size_t row, std::shared_ptr<const WordEffects> effects);

  WordOcclusion occlusion_;
  ThreadPool alone_{1};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::size_t> wanted_;    // the last one first
  std::deque<std::size_t> expected_;  // the first one first
  std::map<std::size_t, std::shared_ptr<const WordEffects>> known_;
  std::deque<std::size_t> ages_;  // rows of known_, the oldest first
  bool ending_ = false;
  std::thread worker_;
};

}  // namespace sieve
