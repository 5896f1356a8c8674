#include <string>

#include "data/csv/csv_cells.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/memory_file.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// Keeps the first line.
class FirstLine final : public OutputStream {
 public:
  explicit FirstLine(OutputStream& below) : below_(below) {}
  void write(std::string_view bytes) override {
    if (!over_) text_ += bytes;
    for (; !over_ && at_ < text_.size(); ++at_) {
      quoted_ ^= text_[at_] == '"';
      over_ = text_[at_] == '\n' && !quoted_;
    }
    if (over_) text_.resize(std::min(text_.size(), at_));
    below_.write(bytes);
  }
  void sync() override {}
  void close() override {}
  const std::string& text() const { return text_; }

 private:
  OutputStream& below_;
  std::string text_;
  std::size_t at_ = 0;
  bool quoted_ = false, over_ = false;
};

// Whole numbers and numbers that a column of them keeps as they are: not 007, no other texts.
std::string is_whole(const std::string& name) {
  return "coalesce(bool_and(CAST(TRY_CAST(" + name + " AS BIGINT) AS VARCHAR) = " + name +
         "), false)";
}
std::string is_number(const std::string& name) {
  return "coalesce(bool_and(TRY_CAST(" + name + " AS DOUBLE) IS NOT NULL AND regexp_matches(" +
         name + ", '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(e[-+]?[0-9]+)?$')) FILTER (WHERE " + name +
         " IS NOT NULL), false)";
}

}  // namespace

void write_parquet(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  WriteOptions as_csv = options;
  as_csv.delimiter = DuckDbText::kDelimiter;
  const DuckDbSession session("", "Parquet");
  MemoryFile csv, packed;
  FirstLine line(csv);
  write_csv(data, line, as_csv);

  std::vector<std::string> names;
  std::string columns, questions;
  for (const std::string& name : cells_of(line.text(), 1, DuckDbText::kDelimiter, "Parquet")) {
    names.push_back(sql_name(name));
    columns += (columns.empty() ? "" : ", ") + sql_text(name) + ": 'VARCHAR'";
    questions += (questions.empty() ? "" : ", ") + ("CASE WHEN " + is_whole(names.back())) +
                 " THEN 'BIGINT' WHEN " + is_number(names.back()) +
                 " THEN 'DOUBLE' ELSE 'VARCHAR' END";
  }
  const std::string from =
      " FROM read_csv(" + sql_text(csv.name()) + ", columns = {" + columns +
      "}, header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
      "nullstr = '', parallel = false, max_line_size = 67108864)";
  std::string expressions;
  {
    const auto types = session.run("SELECT " + questions + from);
    types->next();
    for (std::size_t k = 0; k < names.size(); ++k)
      expressions += (k == 0 ? "" : ", ") + ("CAST(" + names[k] + " AS ") +
                     std::string(types->column(k).text(0)) + ") AS " + names[k];
  }
  session
      .run("COPY (SELECT " + expressions + from + ") TO " + sql_text(packed.name()) +
               " (FORMAT parquet, USE_TMP_FILE false)",
           true)
      ->next();
  const auto content = packed.map();
  if (!content || !content->bytes().ends_with("PAR1"))
    throw Error(Failure::Io, "DuckDB did not write the Parquet file to its end", {}, "");
  out.write(content->bytes());
}

}  // namespace sieve
