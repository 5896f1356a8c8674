#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/data_io.h"

namespace sieve {

// What the columns of a CSV file are.
struct CsvColumns {
  // Text: a feature whose cells are kept as they are. LeftOut: no feature, but its cells are kept.
  // Ignored: nobody looks at it.
  enum class Kind { Feature, Label, LabelList, Id, Text, LeftOut, Ignored };
  // Columns of one kind that lie side by side; `first` counts among the columns of that kind.
  struct Run {
    Kind kind;
    std::size_t first, count;
  };

  std::size_t count = 0, features = 0, labels = 0;
  bool has_list = false, has_ids = false, has_text = false;
  std::vector<Run> runs;
  std::vector<std::string> header;  // one name per column, or empty
  std::vector<std::string> feature_names, label_names, left_out_names;

  // "column 3 ('weight')" for messages.
  std::string describe(std::size_t column) const;
  void add(Kind kind, std::size_t prefix_size);
};

// A first column without a name is called so, as pandas does that writes it: the index of its rows.
inline constexpr std::string_view kUnnamedColumn = "Unnamed: 0";

// What the name of a column says about ids: that it has them, or that it may if it holds text.
enum class IdName { No, IfText, Yes };
IdName id_name(std::string_view name);

// Decides by the options and the names; `all_differ(column, name)` says of a column with such a
// name whether its first values are ids. `header` is empty if the file has none. Throws Error(Data)
// if nothing tells the labels, Error(Usage) if the options do not fit the file.
CsvColumns choose_columns(std::vector<std::string> header, std::size_t count,
                          const ReadOptions& options, const std::string& path,
                          const std::function<bool(std::size_t, IdName)>& all_differ);

}  // namespace sieve
