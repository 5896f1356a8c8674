#include "review/api.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "labelsieve/error.h"
#include "review/media.h"

namespace sieve {
namespace {

constexpr std::size_t kLongestName = 80, kLongestNote = 4000, kLongestNonce = 64,
                      kLongestSearch = 400;
constexpr std::size_t kMostListed = 200;

struct Refused {
  int status;
  std::string message;
};

Refused bad(const std::string& message) {
  return {400, message};
}

// The fields of a request, from its query or its body.
class Fields {
 public:
  explicit Fields(const ReviewRequest& request) {
    for (const auto& [name, value] : request.query) fields_[name] = value;
    if (!request.post) return;
    const nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
    if (!body.is_object()) throw bad("the body is not a JSON object");
    fields_.update(body);
  }

  bool has(const char* name) const { return fields_.contains(name) && !fields_[name].is_null(); }

  std::string text(const char* name, std::size_t longest) const {
    if (!has(name)) return {};
    if (!fields_[name].is_string()) throw bad(std::string(name) + " is not a text");
    std::string value = fields_[name].get<std::string>();
    if (value.size() > longest) throw bad(std::string(name) + " is too long");
    return value;
  }

  std::size_t number(const char* name) const { return number(field(name), name); }
  std::size_t number_or(const char* name, std::size_t otherwise) const {
    return has(name) ? number(name) : otherwise;
  }
  double share(const char* name) const {
    const nlohmann::json& value = field(name);
    double share = -1;
    if (value.is_number()) share = value.get<double>();
    if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      std::from_chars(text.data(), text.data() + text.size(), share);
    }
    if (!(share >= 0 && share <= 1)) throw bad(std::string(name) + " is not a number from 0 to 1");
    return share;
  }
  const nlohmann::json& field(const char* name) const {
    if (!has(name)) throw bad(std::string(name) + " is missing");
    return fields_[name];
  }

  static std::size_t number(const nlohmann::json& value, const char* name) {
    if (value.is_number_unsigned()) return value.get<std::size_t>();
    if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      std::size_t number = 0;
      const auto end = text.data() + text.size();
      if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) return number;
    }
    throw bad(std::string(name) + " is not a whole number");
  }

  // Which of some words a field is; the first if it is not there.
  template <std::size_t N>
  std::size_t word(const char* name, const std::array<std::string_view, N>& words) const {
    const std::string value = text(name, 20);
    if (value.empty()) return 0;
    const auto found = std::ranges::find(words, value);
    if (found == words.end()) throw bad(std::string(name) + " is unknown: " + value);
    return static_cast<std::size_t>(found - words.begin());
  }

 private:
  nlohmann::json fields_ = nlohmann::json::object();
};

constexpr std::array<std::string_view, kOrders> kOrderWords = {"suspicion", "gain", "label",
                                                               "person", "row"};
constexpr std::array<std::string_view, 3> kKindWords = {"all", "ticked", "missing"};
constexpr std::array<std::string_view, 2> kLaneWords = {"review", "audit"};
constexpr std::array<std::string_view, 2> kUnitWords = {"cell", "row"};
constexpr std::array<std::string_view, 5> kStateWords = {"all", "open", "decided", "noted",
                                                         "disputed"};
constexpr std::array<std::string_view, 3> kActionWords = {"remove", "keep", "add"};

std::uint32_t below(std::size_t number, std::size_t limit, const char* name) {
  if (number >= limit) throw bad(std::string("there is no such ") + name);
  return static_cast<std::uint32_t>(number);
}

QueueView view_of(const Fields& fields, Review& review) {
  const Dataset& data = review.material().data;
  QueueView view;
  view.rows = fields.word("unit", kUnitWords) == 1;
  view.state = static_cast<QueueView::State>(fields.word("state", kStateWords));
  if (fields.has("low")) view.low = fields.share("low");
  if (fields.has("high")) view.high = fields.share("high");
  view.found = review.find_rows(fields.text("text", kLongestSearch));
  view.order = static_cast<Order>(fields.word("order", kOrderWords));
  view.kind = static_cast<QueueView::Kind>(fields.word("kind", kKindWords));
  if (fields.has("only_label"))
    view.label = below(fields.number("only_label"), data.labels(), "label");
  if (fields.has("only_person"))
    view.annotator = below(fields.number("only_person"),
                           data.votes ? data.votes->annotators().size() : 0, "person");
  return view;
}

Asking asking_of(const Fields& fields, Review& review) {
  Asking asking{reviewer_name(fields.text("reviewer", kLongestName)), view_of(fields, review),
                fields.number_or("from", 0), fields.word("lane", kLaneWords) == 1};
  if (fields.has("checked")) asking.check = fields.number("checked");
  if (asking.reviewer.empty()) throw bad("say who you are: reviewer is missing");
  return asking;
}

std::string nonce_of(const Fields& fields) {
  const std::string nonce = fields.text("nonce", kLongestNonce);
  if (nonce.size() < 8) throw bad("nonce has fewer than 8 characters");
  return nonce;
}

BulkRule rule_of(const Fields& fields, const Dataset& data) {
  BulkRule rule;
  rule.action = static_cast<BulkRule::Action>(fields.word("action", kActionWords));
  rule.threshold = fields.share("threshold");
  if (fields.has("rule_label"))
    rule.label = below(fields.number("rule_label"), data.labels(), "label");
  return rule;
}

Json decide(Review& review, const Fields& fields) {
  const Dataset& data = review.material().data;
  const std::uint32_t row = below(fields.number("row"), data.rows(), "row");
  const nlohmann::json& given = fields.field("choices");
  if (!given.is_array() || given.empty() || given.size() > data.labels())
    throw bad("choices is not a list of choices");
  std::vector<Choice> choices;
  bool skip = false;
  for (const nlohmann::json& one : given) {
    if (!one.is_object() || !one.contains("label") || !one.contains("answer"))
      throw bad("a choice needs label and answer");
    const std::uint32_t label =
        below(Fields::number(one["label"], "label"), data.labels(), "label");
    const nlohmann::json& answer = one["answer"];
    skip |= answer == "skip";
    if (answer != "yes" && answer != "no" && answer != "skip")
      throw bad("an answer is yes, no or skip");
    if (std::ranges::any_of(choices, [&](const Choice& c) { return c.at.label == label; }))
      throw bad("a label is there twice");
    choices.push_back({{row, label}, answer == "yes", 0});
  }
  if (skip && choices.size() > 1) throw bad("only one label can be skipped at a time");
  return review.decide(asking_of(fields, review), nonce_of(fields), std::move(choices), skip,
                       fields.text("note", kLongestNote));
}

ExportRequest export_of(const Fields& fields) {
  ExportRequest request{.name = fields.text("name", kLongestName)};
  request.undecided = undecided_named(fields.text("undecided", kLongestName));
  if (fields.has("with")) {
    const nlohmann::json& names = fields.field("with");
    if (!names.is_array()) throw bad("with is not a list of names");
    for (const nlohmann::json& name : names) {
      if (!name.is_string()) throw bad("with is not a list of names");
      request.with.push_back(name.get<std::string>());
    }
  }
  return request;
}

// "came", or what becomes of undecided labels.
std::optional<Undecided> audit_of(const Fields& fields) {
  const std::string of = fields.text("of", kLongestName);
  return of == "came" ? std::nullopt : std::optional(undecided_named(of));
}

ReviewReply media(const Review& review, const Fields& fields) {
  const RowTexts& texts = review.material().texts;
  const std::size_t row = fields.number("row"), column = fields.number("column");
  if (review.options().media.empty() || row >= texts.rows.size() || column >= texts.columns.size())
    throw Refused{404, "there is no such file"};
  const std::string& name = texts.rows[row][column];
  const auto file = media_file(review.options().media, name);
  if (!file) throw Refused{404, "there is no such file"};
  return {200, {}, *file, media_type(name)};
}

Cell cell_of(const Fields& fields, const Dataset& data) {
  return {below(fields.number("row"), data.rows(), "row"),
          below(fields.number("label"), data.labels(), "label")};
}

Json get(Review& review, const std::string& path, const Fields& fields) {
  const Dataset& data = review.material().data;
  if (path == "/api/workspace") return Json::object({{"state", "ready"}, {"data", false}});
  if (path == "/api/start")
    return review.start(reviewer_name(fields.text("reviewer", kLongestName)));
  if (path == "/api/next") return review.next(asking_of(fields, review));
  if (path == "/api/at") return review.at(asking_of(fields, review), fields.number("index"));
  if (path == "/api/item") return review.item(asking_of(fields, review), cell_of(fields, data));
  if (path == "/api/texts") return review.texts(cell_of(fields, data));
  if (path == "/api/list")
    return review.list(view_of(fields, review), fields.number_or("from", 0),
                       std::min(fields.number_or("most", 50), kMostListed));
  if (path == "/api/progress") return review.progress();
  if (path == "/api/overview") return review.overview();
  if (path == "/api/annotators")
    return review.annotators(fields.number_or("from", 0),
                             std::min(fields.number_or("most", 50), kMostListed),
                             fields.text("name", kLongestName));
  if (path == "/api/annotator") return review.annotator(fields.number("who"));
  if (path == "/api/export") return review.export_choices();
  if (path == "/api/check") return review.check(rule_of(fields, data), fields.number("seed"));
  if (path == "/api/checked")
    return review.checked(fields.number("seed"), fields.number("mistakes"));
  if (path == "/api/preview") return review.preview(rule_of(fields, data));
  throw Refused{404, "there is nothing here"};
}

Json post(Review& review, const std::string& path, const Fields& fields) {
  const Dataset& data = review.material().data;
  if (path == "/api/decide") return decide(review, fields);
  if (path == "/api/undo") return review.undo(asking_of(fields, review), nonce_of(fields));
  if (path == "/api/export" || path == "/api/export-annotations") {
    const ExportRequest request = export_of(fields);
    return path == "/api/export" ? review.export_labels(request)
                                 : review.export_annotations(request);
  }
  if (path == "/api/audit") return review.begin_audit(audit_of(fields));
  if (path == "/api/certificate")
    return review.export_certificate(fields.text("name", kLongestName));
  if (path == "/api/bulk")
    return review.bulk(asking_of(fields, review), nonce_of(fields), rule_of(fields, data),
                       fields.number("expected"),
                       fields.has("checked")
                           ? std::optional<std::uint64_t>(fields.number("checked"))
                           : std::nullopt);
  throw Refused{404, "there is nothing here"};
}

}  // namespace

ReviewReply refusal(int status, const std::string& message) {
  return {status, Json::object({{"error", message}}).text(), {}, {}};
}

ReviewReply answer(Review& review, const ReviewRequest& request) {
  try {
    const Fields fields(request);
    if (!request.post && request.path == "/media") return media(review, fields);
    const Json json =
        request.post ? post(review, request.path, fields) : get(review, request.path, fields);
    return {200, json.text(), {}, {}};
  } catch (const Refused& refused) {
    return refusal(refused.status, refused.message);
  } catch (const Conflict& conflict) {
    return refusal(409, conflict.message());
  } catch (const MisplacedDecisions& misplaced) {
    return refusal(503, misplaced.what());
  } catch (const Error& error) {
    return refusal(error.kind() == Failure::Usage ? 400 : 500, error.what());
  } catch (const std::exception& error) {
    return refusal(500, error.what());
  }
}

}  // namespace sieve
