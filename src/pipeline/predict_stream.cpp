#include "labelsieve/predict.h"

#include <utility>

#include "base/json.h"
#include "data/jsonl/jsonl_table.h"
#include "labelsieve/error.h"
#include "model_io/model_columns.h"
#include "pipeline/prediction_writer.h"

namespace sieve {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{1} << 16;

// Lines as soon as they are there.
class LiveLines {
 public:
  LiveLines(InputStream& in, std::size_t longest) : in_(in), longest_(longest) {}

  // False at the end. Of a line that is too long only the beginning is kept.
  bool next(std::string_view& line) {
    buffer_.erase(0, std::exchange(taken_, 0));
    too_long_ = false;
    std::size_t end = 0;
    for (std::size_t looked = 0; (end = buffer_.find('\n', looked)) == std::string::npos;) {
      looked = buffer_.size();
      if (looked > longest_) {
        too_long_ = true;
        buffer_.resize(looked = longest_);
      }
      if (!read_on()) break;
    }
    if (end == std::string::npos) end = buffer_.size();
    too_long_ = too_long_ || end > longest_;
    taken_ = std::min(end + 1, buffer_.size());
    line = std::string_view(buffer_).substr(0, end);
    return taken_ > 0;
  }
  bool too_long() const { return too_long_; }

 private:
  bool read_on() {
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kReadAtOnce);
    const std::size_t got = in_.read(buffer_.data() + before, kReadAtOnce);
    buffer_.resize(before + got);
    return got > 0;
  }

  InputStream& in_;
  std::size_t longest_, taken_ = 0;
  std::string buffer_;
  bool too_long_ = false;
};

JsonRows rows_for(const ModelState& state, const StreamOptions& options) {
  const ModelColumns columns(state);
  ReadOptions read;
  read.recipe = state.recipe;
  read.id_column = options.id_column;
  return JsonRows(columns.names, columns.count, read);
}

PredictionLayout json_lines(PredictionLayout layout) {
  layout.form = PredictionLayout::Form::JsonLines;
  return layout;
}

class Answers {
 public:
  Answers(const Model& model, OutputStream& out, const StreamOptions& options)
      : model_(model),
        out_(out),
        pool_(options.threads != nullptr ? *options.threads : alone_),
        longest_(options.longest_line),
        rows_(rows_for(model.state(), options)),
        writer_(out, json_lines(options.layout), model.state().label_names) {}

  void answer(std::string_view line, bool too_long) {
    std::string text;
    try {
      if (too_long)
        throw Error(Failure::Data, "this line is too long", {},
                    "a line holds one row, in at most " + std::to_string(longest_) + " bytes");
      text = answer_to(rows_.row(line));
    } catch (const NotFinite& error) {  // its row is that of the answer
      text = refusal(error.reason(), error.hint(), rows_.id(line));
      ++counts_.refused;
    } catch (const Error& error) {
      if (error.kind() != Failure::Data) throw;
      text = refusal(error.message(), error.hint(), too_long ? "" : rows_.id(line));
      ++counts_.refused;
    }
    ++counts_.rows;
    out_.write(text);
  }
  const Streamed& counts() const { return counts_; }

 private:
  std::string answer_to(const JsonRows::Row& row) const {
    const Matrix scores = model_.scores(row.features, pool_);
    const LabelMatrix decisions = writer_.decisions(model_, scores);
    PredictionWriter::Rows rows{counts_.rows, scores, decisions};
    if (!row.id.empty()) rows.ids = {&row.id, 1};
    return writer_.text(rows);
  }

  std::string refusal(const std::string& why, const std::string& hint,
                      const std::string& id) const {
    Json::Members members = {{"row", counts_.rows}, {"error", why}};
    if (!id.empty()) members.insert(members.begin(), {"id", id});
    if (!hint.empty()) members.emplace_back("hint", hint);
    return Json::object(members).text() + "\n";
  }

  const Model& model_;
  OutputStream& out_;
  ThreadPool alone_{1};
  ThreadPool& pool_;
  std::size_t longest_;
  JsonRows rows_;
  PredictionWriter writer_;
  Streamed counts_;
};

}  // namespace

Streamed predict_stream(const Model& model, InputStream& in, OutputStream& out,
                        const StreamOptions& options) {
  LiveLines lines(in, options.longest_line);
  Answers answers(model, out, options);
  for (std::string_view line; lines.next(line);)
    if (lines.too_long() || !trimmed(line).empty()) answers.answer(line, lines.too_long());
  return answers.counts();
}

}  // namespace sieve
