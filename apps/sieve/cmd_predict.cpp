#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/streams.h"
#include "data/table_source.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "reading.h"
#include "report/rendered.h"
#include "shared_options.h"
#include "terminal.h"
#include "terminal_progress.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// What --to says, else what the name of the output does: a file is never written in another format
// than its name says.
std::string form_of(const Arguments& arguments) {
  const std::string_view name = unpacked_name(arguments.text("out"));
  if (arguments.given("to") || name.empty()) return arguments.text("to");
  if (name.ends_with(".jsonl")) return "jsonl";
  for (const char* other : {".json", ".parquet", ".npy", ".npz", ".xlsx", ".arff", ".mat"})
    if (name.ends_with(other))
      throw usage_error("predictions cannot be written as " + std::string(other),
                        "name the file .csv or .jsonl, or say what to write with --to");
  return arguments.text("to");
}

PredictionLayout layout_of(const Arguments& arguments) {
  using Layout = PredictionLayout;
  const bool promised = arguments.has("guarantee");
  const std::string kind =
      promised && !arguments.given("kind") ? "decisions" : arguments.text("kind");
  const std::string form = form_of(arguments);
  if (promised && kind != "decisions")
    throw usage_error(
        "--guarantee decides which labels are on: it needs --kind decisions or table");
  if (arguments.given("top") && kind != "top") throw usage_error("--top needs --kind top");
  return {kind == "top"         ? Layout::Kind::Top
          : kind == "decisions" ? Layout::Kind::Decisions
                                : Layout::Kind::Scores,
          form == "jsonl"          ? Layout::Form::JsonLines
          : form == "libsvm"       ? Layout::Form::Libsvm
          : form == "label-studio" ? Layout::Form::LabelStudio
                                   : Layout::Form::Csv,
          arguments.count("top")};
}

// The one asked for: by the rows of --decided, or as the model keeps it.
std::optional<Guarantee> guarantee_of(const Arguments& arguments, const Model& model,
                                      ThreadPool& pool, std::vector<std::string>& notes) {
  const std::vector<GuaranteeGoal> goals = guarantee_goals(arguments);
  if (goals.empty()) return {};
  if (goals.size() > 1) throw usage_error("--guarantee takes one promise at a time");
  const GuaranteeGoal& goal = goals.front();
  if (arguments.has("decided"))
    return guarantee(model, read_decided(arguments, model, pool, notes), goal,
                     arguments.real("level"));
  const Guarantee* kept = find_guarantee(model.state(), goal);
  if (kept == nullptr)
    throw Error(Failure::Data, "the model keeps no thresholds for " + to_string(goal),
                {arguments.words().front(), 0, 0},
                "give decided rows with --decided, or train with --guarantee");
  if (arguments.given("level") && arguments.real("level") > kept->level + 1e-9)
    throw Error(Failure::Data,
                fmt::format("the model keeps {} with probability {}", to_string(goal), kept->level),
                {arguments.words().front(), 0, 0}, "give decided rows with --decided");
  return *kept;
}

// Standard output, or a file that appears when it is complete; packed if its name says so.
class Results {
 public:
  explicit Results(const Arguments& arguments) {
    const std::string& path = arguments.text("out");
    if (path.empty()) return;
    check_not_an_input(arguments, path, path);
    file_.emplace(FileSystem::real(), path, if_exists(arguments));
    if (unpacked_name(path) != path) packed_ = gzip_into(*file_);
  }
  OutputStream& stream() {
    if (packed_) return *packed_;
    return file_ ? static_cast<OutputStream&>(*file_) : standard_;
  }
  void commit() {
    if (packed_) packed_->close();
    if (file_) file_->commit();
  }
  std::uint64_t bytes() const { return file_ ? file_->written() : 0; }

 private:
  StandardOutput standard_;
  std::optional<AtomicFile> file_;
  std::unique_ptr<OutputStream> packed_;
};

WriteOptions write_options_of_table(const Arguments& arguments) {
  WriteOptions options;
  options.if_exists = if_exists(arguments);
  return options;
}

// Answers the lines of standard input.
Report stream(const Arguments& arguments) {
  if (arguments.has("out") || arguments.flag("json"))
    throw usage_error("--stream answers on standard output: leave out --out and --json");
  if (arguments.given("to") && arguments.text("to") != "jsonl")
    throw usage_error("--stream answers in JSON lines, not in " + arguments.text("to"));
  if (arguments.text("kind") == "table")
    throw usage_error("--stream answers row by row: --kind table needs a file");
  if (arguments.words().size() > 1)
    throw usage_error(
        "--stream takes its rows from standard input, not from '" + arguments.words()[1] + "'",
        "leave out either");
  const std::unique_ptr<Model> model = load_model(arguments.words().front());
  StreamOptions options{.layout = layout_of(arguments)};
  ThreadPool pool(1);
  Report report;
  const std::optional<Guarantee> promised = guarantee_of(arguments, *model, pool, report.notes);
  if (promised) options.layout.guarantee = &*promised;
  if (const std::string& ids = arguments.text("id-column"); !ids.empty())
    options.id_column = ids == "none" ? "" : ids;
  const std::unique_ptr<InputStream> in = FileSystem::real().open("-");
  StandardOutput out;
  const Streamed streamed = predict_stream(*model, *in, out, options);
  if (streamed.refused != 0)
    report.notes.push_back(
        fmt::format("{} of {} rows were refused", streamed.refused, streamed.rows));
  return report;
}

// ---- the table that was read, with the labels of the model

void check_table_request(const Arguments& arguments) {
  if (!arguments.has("out"))
    throw usage_error("--kind table writes a table, and there is no name for it", "give --out");
  if (arguments.given("to"))
    throw usage_error("--kind table writes the format that the name of --out says",
                      "leave out --to");
  check_output(arguments, arguments.text("out"), write_options_of_table(arguments));
}

Dataset read_table(const Arguments& arguments, const Model& model, ThreadPool& pool,
                   RecipeTally& tally, std::vector<std::string>& notes) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.labels.optional = true;
  options.known_features = model.state().feature_names;
  options.recipe = model.state().recipe;
  options.tally = &tally;
  options.keep_cells = true;
  Dataset data = read_dataset({arguments.words().begin() + 1, arguments.words().end()}, options);
  if (!options.recipe && data.recipe)
    throw Error(Failure::Data, "the model was trained on numbers alone, and the table is not",
                {data.name, 0, 0},
                "leave other columns out with --ignore-columns, and fill in missing values");
  return data;
}

// Labels of the table that the model does not know stay as they are.
void put_labels(Dataset& data, const std::vector<std::string>& names,
                const LabelMatrix& predicted) {
  std::vector<std::string> all = names;
  for (const std::string& name : data.label_names)
    if (std::ranges::find(names, name) == names.end()) all.push_back(name);
  LabelMatrix labels(data.rows(), all.size());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    predicted.for_each(row, [&](std::size_t k) { labels.set(row, k); });
    data.candidates.for_each(row, [&](std::size_t k) {
      const auto at = std::ranges::find(all, data.label_names[k]) - all.begin();
      if (static_cast<std::size_t>(at) >= names.size())
        labels.set(row, static_cast<std::size_t>(at));
    });
  }
  data.label_names = std::move(all);
  data.candidates = std::move(labels);
  data.truth.reset();
}

std::vector<ColumnBeside> probabilities_beside(const Arguments& arguments,
                                               const Matrix& probabilities,
                                               const std::vector<std::string>& names) {
  std::vector<ColumnBeside> columns;
  if (arguments.text("with").empty()) return columns;
  for (std::size_t k = 0; k < names.size(); ++k)
    columns.push_back({"probability:" + names[k], [&probabilities, k](std::size_t row) {
                         return fmt::format("{:.6g}", probabilities(row, k));
                       }});
  return columns;
}

Report predict_table(const Arguments& arguments) {
  check_table_request(arguments);
  const std::unique_ptr<Model> model = load_model(arguments.words().front());
  const std::vector<std::string>& names = model->state().label_names;
  ThreadPool pool(arguments.count("threads"));
  Report report;
  const std::optional<Guarantee> promised = guarantee_of(arguments, *model, pool, report.notes);
  RecipeTally tally;
  Dataset data = read_table(arguments, *model, pool, tally, report.notes);
  Prediction prediction = predict(*model, data, pool);
  put_labels(data, names,
             promised ? decide_by(*promised, prediction.scores) : std::move(prediction.labels));
  const Matrix probabilities = model->probabilities(std::move(prediction.scores));
  const WriteOptions options = write_options_of_table(arguments);
  const std::string& out = arguments.text("out");
  FileSet set;
  write_table(data, out, options,
              {.as_read = true, .beside = probabilities_beside(arguments, probabilities, names)},
              set);
  set.commit();
  FeatureMatch match = match_features(model->state(), data.features, data.feature_names);
  match.missing = tally.missing;
  match.unseen = tally.unseen;
  for (std::string& note : notes_on(match)) report.notes.push_back(std::move(note));
  report.text = written_line(data.shape(), out, options);
  report.json = written_json(data.shape(), out, options);
  return report;
}

Report run(const Arguments& arguments) {
  if (arguments.flag("stream")) return stream(arguments);
  if (arguments.text("kind") == "table") return predict_table(arguments);
  if (arguments.has("with")) throw usage_error("--with needs --kind table");
  PredictionLayout layout = layout_of(arguments);
  guarantee_goals(arguments);
  if (arguments.flag("json") && !arguments.has("out"))
    throw usage_error("--json needs --out: the predictions go to standard output",
                      "for predictions as JSON lines give --to jsonl");
  const std::unique_ptr<Model> model = load_model(arguments.words().front());
  Results results(arguments);

  ThreadPool pool(arguments.count("threads"));
  const bool in_the_way = !arguments.has("out") && ::isatty(STDOUT_FILENO) == 1;
  TerminalProgress progress(ProgressOutput::standard_error(arguments, in_the_way));
  Report report;
  const std::optional<Guarantee> promised = guarantee_of(arguments, *model, pool, report.notes);
  if (promised) layout.guarantee = &*promised;
  const Predicted predicted = predict_files(
      *model, {arguments.words().begin() + 1, arguments.words().end()},
      read_options(arguments, pool, report.notes), layout, results.stream(), progress);
  results.commit();

  for (std::string& note : notes_on(predicted.match)) report.notes.push_back(std::move(note));
  if (!arguments.has("out")) return report;
  const std::string& out = arguments.text("out");
  const std::uint64_t bytes = results.bytes();
  const std::string kind = promised ? "decisions" : arguments.text("kind");
  report.text =
      fmt::format("wrote {}: {} of {} rows, {}\n", out, kind, predicted.rows, bytes_text(bytes));
  Json::Members json = {{"out", out},
                        {"kind", kind},
                        {"rows", predicted.rows},
                        {"bytes", bytes},
                        {"ignored_features", json_strings(predicted.match.ignored)},
                        {"far_features", json_strings(predicted.match.far)},
                        {"absent_features", predicted.match.absent}};
  if (promised) {
    const Rendered rendered = render_guarantee(*promised, model->state().label_names);
    report.text += "\n" + rendered.text;
    json.emplace_back("guarantee", rendered.json);
  }
  report.json = Json::object(json);
  return report;
}

}  // namespace

Verb predict_verb() {
  Verb verb{
      .name = "predict",
      .summary = "score new rows with a model",
      .arguments = "MODEL IN...",
      .least_words = 2,
      .most_words = 1000,
      .details =
          "Features are matched by name if the model and the data have names, otherwise by\n"
          "order. The data needs no labels; any it has are ignored. Results go to standard\n"
          "output unless --out names a file (.gz compresses). Rows count from 0.\n"
          "With --stream, rows come from standard input, each a line of JSON: a list of\n"
          "values or an object with the values by name, and an \"id\" if you like. Each is\n"
          "answered by a line of JSON before the next one is read.\n"
          "--kind table writes the table that was read, to the byte, with the labels that the\n"
          "model decides in its label columns, or in new ones at the end.\n"
          "--guarantee precision=0.9 (or recall=, fdr=) decides by thresholds that keep the\n"
          "promise for rows like some that were decided and not trained on: those of\n"
          "--decided, or the ones that the model was given when it was trained.",
      .example = "sieve predict crowd.model new.csv --kind top --top 3 --to jsonl",
      .run = run};
  verb.options = {
      path("out", "output file (default: standard output)"),
      choice("kind", {"scores", "decisions", "top", "table"},
             "what to write for each row; table: the table as it was read, with labels", "scores"),
      choice("with", {"probability"}, "with --kind table: further columns beside the labels"),
      integer("top", "with --kind top: labels per row", 1, 1e9, "5"),
      choice("to", {"csv", "libsvm", "jsonl", "label-studio"}, "format to write", "csv"),
      flag("stream", "answer rows from standard input one by one, as JSON lines"),
      force_option()};
  for (const auto& more : {guarantee_options("decide by this promise, as in precision=0.9"),
                           reading_options("candidates")})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
