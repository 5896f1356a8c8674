#include "crowd/fit_steps.h"

#include <algorithm>

namespace sieve {

Votes chain_of_questions(const Votes& votes, const std::vector<bool>& counted) {
  const std::size_t annotators = votes.annotators().size();
  std::size_t steps = 0;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    for (const std::uint8_t grade : votes.grades(annotation))
      steps = std::max(steps, std::size_t{grade});
  VoteCollector said;
  std::vector<std::uint32_t> same(annotators);
  for (std::uint32_t a = 0; a < annotators; ++a) same[a] = a;
  said.add(votes, 0, same);
  for (std::uint32_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation) {
      const auto ticked = votes.ticked(annotation);
      const auto grades = votes.grades(annotation);
      std::size_t asked = 0;
      for (std::size_t k = 0; k < ticked.size(); ++k)
        if (counted[ticked[k]])
          asked = std::max(asked, std::min(grades[k] + std::size_t{1}, steps));
      for (std::size_t step = 1; step <= asked; ++step) {
        const auto who =
            static_cast<std::uint32_t>(votes.annotator(annotation) + step * annotators);
        said.annotate(row, who);
        std::size_t next = 0;
        for (std::uint32_t l = 0; l < counted.size(); ++l) {
          const bool is_ticked = next < ticked.size() && ticked[next] == l;
          const std::size_t grade = is_ticked ? grades[next++] : 0;
          if (!is_ticked || !counted[l] || grade + 1 < step)
            said.unsure(row, who, l);
          else if (grade >= step)
            said.tick(row, who, l);
        }
      }
    }
  return said.finish(votes.rows(), std::vector<std::string>(annotators * (steps + 1)));
}

std::vector<std::uint32_t> annotation_of_answer(const Votes& chain, const Votes& votes) {
  const std::size_t annotators = votes.annotators().size();
  std::vector<std::uint32_t> out(chain.annotations());
  for (std::size_t row = 0; row < chain.rows(); ++row)
    for (std::size_t answer = chain.first_annotation(row); answer < chain.first_annotation(row + 1);
         ++answer) {
      std::size_t annotation = votes.first_annotation(row);
      while (votes.annotator(annotation) != chain.annotator(answer) % annotators) ++annotation;
      out[answer] = static_cast<std::uint32_t>(annotation);
    }
  return out;
}

}  // namespace sieve
