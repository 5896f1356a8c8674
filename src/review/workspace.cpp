#include "review/workspace.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "labelsieve/error.h"
#include "review/review.h"
#include "review/server.h"

namespace sieve {
namespace {

constexpr double kLeastShare = 0.02, kLeastSeconds = 1;  // before, the time left is anybody's guess

Json column_json(const WorkspaceColumn& column) {
  return Json::object({{"column", column.column},
                       {"role", column.role},
                       {"reason", column.reason},
                       {"example", column.example},
                       {"of_annotations", column.of_annotations}});
}

constexpr std::array<std::string_view, 3> kUses = {"rows", "annotations", "left out"};

constexpr std::array<std::string_view, 3> kChanges = {"/api/role", "/api/use", "/api/answer"};

Json file_json(const WorkspaceFile& file) {
  return Json::object({{"path", file.path},
                       {"name", std::filesystem::path(file.path).filename().string()},
                       {"use", std::string(kUses[static_cast<std::size_t>(file.use)])}});
}

Json question_json(const WorkspaceQuestion& question) {
  return Json::object({{"text", question.text}, {"answers", json_strings(question.answers)}});
}

Json first_json(const std::vector<std::pair<std::string, std::string>>& cells) {
  std::vector<Json> all;
  for (const auto& [column, text] : cells) all.push_back(json_strings({column, text}));
  return Json::array(all);
}

}  // namespace

// ---- progress

void BackgroundProgress::begin(std::string_view stage, std::size_t total) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  total_ = total;
}

void BackgroundProgress::update(std::size_t done, std::string_view) {
  const std::lock_guard lock(mutex_);
  if (total_ == 0) return;
  share_ = std::clamp(static_cast<double>(done) / static_cast<double>(total_), share_, 1.0);
}

Json BackgroundProgress::json() const {
  const std::lock_guard lock(mutex_);
  const double spent = std::chrono::duration<double>(Clock::now() - started_).count();
  const bool known = share_ >= kLeastShare && spent >= kLeastSeconds;
  return Json::object({{"stage", stage_},
                       {"share", share_},
                       {"seconds_left", known ? Json(spent * (1 - share_) / share_) : Json()}});
}

// ---- workspace

Workspace::Workspace(WorkspaceSteps steps, std::string title, bool begin)
    : steps_(std::move(steps)), title_(std::move(title)) {
  look(begin);
}

Workspace::~Workspace() {
  if (progress_) progress_->stop();
  if (worker_.joinable()) worker_.join();
}

std::size_t Workspace::decisions() const {
  const std::lock_guard lock(mutex_);
  return review_ ? review_->decisions() : 0;
}

// The lock is held, and nothing runs.
void Workspace::run(State state, std::function<void()> step) {
  if (worker_.joinable()) worker_.join();
  state_ = state;
  problem_.clear();
  worker_ = std::thread([this, step = std::move(step)] {
    std::string problem;
    try {
      step();
    } catch (const Error& error) {
      problem = error.kind() == Failure::Interrupted ? "Stopped. Nothing is lost." : error.what();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (problem.empty()) return;  // whoever joins this thread may hold the lock
    const std::lock_guard lock(mutex_);
    problem_ = std::move(problem);
    state_ = State::Data;
  });
}

void Workspace::look(bool begin) {
  const std::lock_guard lock(mutex_);
  progress_ = std::make_shared<BackgroundProgress>();
  run(State::Looking, [this, begin] {
    WorkspaceData data = steps_.describe();
    const bool clear = data.open.empty();
    {
      const std::lock_guard inner(mutex_);
      data_ = std::move(data);
      state_ = begin && clear ? State::Working : State::Data;
    }
    if (begin && clear) work();
  });
}

// In the background.
void Workspace::work() {
  std::shared_ptr<BackgroundProgress> progress;
  {
    const std::lock_guard lock(mutex_);
    progress = progress_;
  }
  ReviewSetup setup = steps_.prepare(*progress);
  auto review = std::make_shared<Review>(material_of(std::move(setup.judged), setup.read.ticks),
                                         setup.options);
  std::vector<std::string> notes = notes_on(*review);
  for (const std::string& note : notes)
    if (setup.options.warn) setup.options.warn(note);
  const std::lock_guard lock(mutex_);
  review_ = std::move(review);
  notes_ = std::move(notes);
  state_ = State::Ready;
}

std::function<void()> Workspace::change_of(const ReviewRequest& request) const {
  const nlohmann::json fields = nlohmann::json::parse(request.body, nullptr, false);
  const auto is = [&](const char* name, nlohmann::json::value_t type) {
    return fields.is_object() && fields.contains(name) && fields[name].type() == type;
  };
  const auto text = [&](const char* name) {
    if (!is(name, nlohmann::json::value_t::string))
      throw Error(Failure::Usage, std::string(name) + " is missing");
    return fields[name].get<std::string>();
  };
  const auto number = [&](const char* name) {
    if (!is(name, nlohmann::json::value_t::number_unsigned))
      throw Error(Failure::Usage, std::string(name) + " is missing");
    return fields[name].get<std::size_t>();
  };
  if (request.path == "/api/use") {
    const auto place = std::ranges::find(kUses, text("use"));
    if (place == kUses.end() || number("file") >= data_.files.size())
      throw Error(Failure::Usage, "there is no such file or use");
    const auto use = static_cast<WorkspaceFile::Use>(place - kUses.begin());
    return [this, file = number("file"), use] { steps_.use(file, use); };
  }
  if (request.path == "/api/answer") {
    const std::size_t question = number("question"), answer = number("answer");
    if (question >= data_.open.size() || answer >= data_.open[question].answers.size())
      throw Error(Failure::Usage, "there is no such question or answer");
    return [this, question, answer] { steps_.answer(question, answer); };
  }
  const bool of_annotations =
      fields.is_object() && fields.value("of_annotations", nlohmann::json(false)) == true;
  const std::string name = text("column"), role = text("role");
  const auto found = std::ranges::find_if(data_.columns, [&](const WorkspaceColumn& one) {
    return one.column == name && one.of_annotations == of_annotations;
  });
  const auto& roles = of_annotations ? data_.roles : data_.roles_of_rows;
  if (found == data_.columns.end() || std::ranges::count(roles, role) == 0)
    throw Error(Failure::Usage, "there is no such column or role");
  WorkspaceColumn column = *found;
  column.role = role;
  return [this, column] { steps_.correct(column); };
}

Json Workspace::state_json() const {
  const char* words[] = {"looking", "data", "working", "ready"};
  return Json::object({{"state", words[static_cast<std::size_t>(state_)]},
                       {"data", true},
                       {"title", title_},
                       {"problem", problem_},
                       {"notes", json_strings(notes_)},
                       {"progress", state_ == State::Working ? progress_->json() : Json()}});
}

Json Workspace::data_json() const {
  std::vector<Json> files, columns, open, first;
  for (const WorkspaceFile& file : data_.files) files.push_back(file_json(file));
  for (const WorkspaceQuestion& question : data_.open) open.push_back(question_json(question));
  for (const WorkspaceColumn& column : data_.columns) columns.push_back(column_json(column));
  for (const auto& row : data_.first) first.push_back(first_json(row));
  return Json::object({{"files", Json::array(files)},
                       {"rows", data_.rows},
                       {"labels", data_.labels},
                       {"annotators", data_.annotators},
                       {"annotations", data_.annotations},
                       {"columns", Json::array(columns)},
                       {"roles", json_strings(data_.roles)},
                       {"roles_of_rows", json_strings(data_.roles_of_rows)},
                       {"open", Json::array(open)},
                       {"first", Json::array(first)},
                       {"command", data_.command}});
}

ReviewReply Workspace::answer_here(const ReviewRequest& request) {
  const std::lock_guard lock(mutex_);
  const bool idle = state_ == State::Data || state_ == State::Ready;
  if (!request.post && request.path == "/api/data") return {200, data_json().text(), {}, {}};
  if (request.post && request.path == "/api/stop") {
    if (progress_) progress_->stop();
  } else if (request.post && !idle) {
    return refusal(409, "wait until this is done, or stop it");
  } else if (request.post && std::ranges::count(kChanges, request.path) != 0) {
    const std::function<void()> change = change_of(request);
    review_.reset();
    run(State::Looking, [this, change] {
      change();
      WorkspaceData data = steps_.describe();
      const std::lock_guard inner(mutex_);
      data_ = std::move(data);
      state_ = State::Data;
    });
  } else if (request.post && request.path == "/api/begin") {
    if (!data_.open.empty()) return refusal(409, "say first what is unclear");
    review_.reset();
    progress_ = std::make_shared<BackgroundProgress>();
    run(State::Working, [this] { work(); });
  } else if (request.path != "/api/workspace") {
    return refusal(409, "not started yet");
  }
  return {200, state_json().text(), {}, {}};
}

ReviewReply Workspace::answer(const ReviewRequest& request) {
  static constexpr std::array<std::string_view, 4> kHere = {"/api/workspace", "/api/data",
                                                            "/api/begin", "/api/stop"};
  std::shared_ptr<Review> review;
  {
    const std::lock_guard lock(mutex_);
    review = review_;
  }
  if (review && std::ranges::count(kHere, request.path) == 0 &&
      std::ranges::count(kChanges, request.path) == 0)
    return sieve::answer(*review, request);
  review.reset();  // so that a new one can have the file of decisions
  try {
    return answer_here(request);
  } catch (const std::exception& error) {
    return refusal(400, error.what());
  }
}

// ---- page

class WorkspacePage::Impl {
 public:
  Impl(WorkspaceSteps steps, const std::string& title, bool begin, const ServerOptions& server)
      : workspace(std::move(steps), title, begin),
        http([this](const ReviewRequest& request) { return workspace.answer(request); }, server) {}

  Workspace workspace;
  ReviewServer http;
};

WorkspacePage::WorkspacePage(WorkspaceSteps steps, const std::string& title, bool begin,
                             const ServerOptions& server)
    : impl_(std::make_unique<Impl>(std::move(steps), title, begin, server)) {}

WorkspacePage::~WorkspacePage() = default;

std::string WorkspacePage::link() const {
  return impl_->http.link();
}

std::size_t WorkspacePage::decisions() const {
  return impl_->workspace.decisions();
}

}  // namespace sieve
