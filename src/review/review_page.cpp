#include "labelsieve/review.h"

#include "data/ids.h"
#include "review/media.h"
#include "review/review.h"
#include "review/row_texts.h"
#include "review/server.h"

// Where the probabilities of a review come from.

namespace sieve {
namespace {

constexpr std::size_t kMostMissing = 200'000;
constexpr double kWorthAsking = 0.1;  // labels that nobody ticked are shown from here on

}  // namespace

JudgeRequest for_review(JudgeRequest request) {
  request.most_missing = kMostMissing;
  request.missing_from = kWorthAsking;
  request.check_votes = false;
  return request;
}

ReviewMaterial material_of(Judged judged, const AnnotationOptions& annotations) {
  ReviewMaterial material;
  material.why_no_guess = why_no_claim(judged);
  for (const NoiseOfLabel& label : noise_of_labels(judged))
    material.why_no_label_guess.push_back(label.why_none);
  if (judged.crowd) {
    material.annotators = judged.crowd->annotators;
    material.guess_from = GuessFrom::Votes;
  } else if (judged.union_findings) {
    material.guess_from = GuessFrom::Union;
  }
  material.trust = trust_in(judged);
  material.cells = cells_of(judged);
  material.judge = judged.judge;
  material.model = judged.model;
  material.texts = row_texts(judged.data);
  material.data = std::move(judged.data);
  material.annotations = annotations;
  judged.data.candidates = material.data.candidates.share();
  judged.data.votes = material.data.votes;
  material.machine = std::make_shared<const Judged>(labels_alone(std::move(judged)));
  return material;
}

std::vector<std::string> notes_on(const Review& review) {
  std::vector<std::string> notes = review.notes();
  const std::string& media = review.options().media;
  if (media.empty()) return notes;
  const std::vector<std::string> missing = missing_media(media, review.material().texts.rows);
  if (!missing.empty())
    notes.push_back("pictures or sounds that rows name and " + media +
                    " does not have: " + counted_names(missing.size(), missing));
  return notes;
}

class ReviewPage::Impl {
 public:
  Impl(ReviewMaterial material, const ReviewOptions& options, const ServerOptions& server)
      : review(std::move(material), options), http(review, server), notes(notes_on(review)) {}

  Review review;
  ReviewServer http;
  std::vector<std::string> notes;
};

ReviewPage::ReviewPage(Judged judged, const AnnotationOptions& annotations,
                       const ReviewOptions& options, const ServerOptions& server)
    : impl_(std::make_unique<Impl>(material_of(std::move(judged), annotations), options, server)) {}

ReviewPage::~ReviewPage() = default;

std::string ReviewPage::link() const {
  return impl_->http.link();
}

std::size_t ReviewPage::cells() const {
  return impl_->review.material().cells.size();
}

const std::vector<std::string>& ReviewPage::notes() const {
  return impl_->notes;
}

std::size_t ReviewPage::questions() const {
  return impl_->review.questions();
}

std::size_t ReviewPage::audited() const {
  return impl_->review.audited();
}

std::size_t ReviewPage::decisions() const {
  return impl_->review.decisions();
}

}  // namespace sieve
