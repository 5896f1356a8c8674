#include "labelsieve/predict.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t kNamesShown = 3;

[[noreturn]] void refuse_missing(const std::vector<std::string>& missing) {
  std::string shown;
  for (std::size_t i = 0; i < std::min(missing.size(), kNamesShown); ++i)
    shown += (i == 0 ? "'" : ", '") + missing[i] + "'";
  if (missing.size() > kNamesShown)
    shown += " and " + std::to_string(missing.size() - kNamesShown) + " more";
  throw Error(Failure::Data, "the model needs features that the data does not have: " + shown, {},
              "give it data with the features it was trained on; see: " + term("Model::state"));
}

FeatureMatch match_by_name(const std::vector<std::string>& wanted,
                           const std::vector<std::string>& given) {
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < given.size(); ++i) place_of.emplace(given[i], i);
  FeatureMatch match;
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    const auto found = place_of.find(name);
    if (found == place_of.end()) {
      missing.push_back(name);
      continue;
    }
    match.columns.push_back(found->second);
    place_of.erase(found);
  }
  if (!missing.empty()) refuse_missing(missing);
  for (const std::string& name : given)
    if (place_of.contains(name)) match.ignored.push_back(name);
  return match;
}

Features select_columns(const Matrix& x, const std::vector<std::size_t>& columns) {
  Matrix out(x.rows(), columns.size());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = x(i, columns[k]);
  return out;
}

Features select_columns(const CsrMatrix& x, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kUnwanted = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(x.cols, kUnwanted);
  for (std::size_t k = 0; k < columns.size(); ++k) place[columns[k]] = k;
  CsrMatrix out;
  out.cols = columns.size();
  out.starts.push_back(0);
  std::vector<std::pair<std::size_t, float>> entries;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    entries.clear();
    const CsrMatrix::Row row = x.row(i);
    for (std::size_t j = 0; j < row.columns.size(); ++j)
      if (place[row.columns[j]] != kUnwanted)
        entries.emplace_back(place[row.columns[j]], row.values[j]);
    std::ranges::sort(entries);
    for (const auto& [column, value] : entries) {
      out.columns.push_back(static_cast<std::uint32_t>(column));
      out.values.push_back(value);
    }
    out.starts.push_back(out.values.size());
  }
  return out;
}

}  // namespace

FeatureMatch match_features(const ModelState& model, const Features& x,
                            const std::vector<std::string>& names) {
  if (!model.feature_names.empty() && !names.empty()) {
    if (model.feature_names == names) return {};
    return match_by_name(model.feature_names, names);
  }
  if (!x.is_sparse() || x.cols() > model.features) require_features(x, model.features);
  return {{}, {}, model.features - x.cols()};
}

Features matched_features(const FeatureMatch& match, const ModelState& model, Features x) {
  if (match.columns.empty() && x.cols() == model.features) return x;
  if (match.columns.empty()) {
    x.sparse().cols = model.features;
    return x;
  }
  const Features all = x.plain();
  return all.is_sparse() ? select_columns(all.sparse(), match.columns)
                         : select_columns(all.dense(), match.columns);
}

}  // namespace sieve
