// Labels in JSON lines, changed in place.
#include <algorithm>
#include <map>
#include <set>

#include "base/json.h"
#include "data/jsonl/json_text.h"
#include "data/parts_of_list.h"
#include "data/table_source.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

using Part = JsonPart;

std::string decoded(std::string_view json) {
  JsonParser parser;
  return parser.parse(json, {}).plain();
}

bool is_on(std::string_view json) {
  return json == "true" || decoded(json) == "1" || json == "1.0";
}

class JsonEditor final : public RecordEditor {
 public:
  JsonEditor(const TableSource& source, const LabelsOut& labels,
             const std::vector<ColumnBeside>& beside)
      : layout_(source.layout()), labels_(labels), beside_(beside) {
    for (std::size_t k = 0; k < layout_.labels.size(); ++k)
      slots_of_[layout_.labels[k].key].push_back(k);
    for (std::size_t k = 0; k < labels.names->size(); ++k) number_.emplace((*labels.names)[k], k);
    if (layout_.list)
      for (std::size_t row = 0; row < source.rows() && !knows_lists_; ++row)
        learn(source.record(row));
  }

  std::string names(std::string_view head) override { return std::string(head); }

  std::string record(std::string_view text, std::size_t row) override {
    std::vector<Edit> edits;
    bool has_list = false;
    const std::size_t begin = skip_json_blanks(text, 0);
    const std::vector<Part> members = json_parts(text, begin);
    for (const Part& member : members) {
      const std::string_view value = text.substr(member.begin, member.end - member.begin);
      if (layout_.list && layout_.list->key == member.key) {
        has_list = true;
        if (std::string now = list(value, row); now != value)
          edits.push_back({member.begin, member.end, std::move(now)});
      }
      const auto slots = slots_of_.find(member.key);
      if (slots == slots_of_.end()) continue;
      for (const std::size_t k : slots->second) edit_label(text, member, k, row, edits);
    }
    const std::size_t end = members.empty() ? begin + 1 : members.back().end;
    std::string added = further(row, !has_list, text.find("\": ") != text.npos);
    if (!added.empty() && members.empty()) added.erase(0, added.find('"'));
    edits.push_back({end, end, std::move(added)});
    return with(text, edits);
  }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  static std::string with(std::string_view text, const std::vector<Edit>& edits) {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
      out += text.substr(at, edit.begin - at);
      out += edit.text;
      at = edit.end;
    }
    return out += text.substr(at);
  }

  void edit_label(std::string_view text, const Part& member, std::size_t slot, std::size_t row,
                  std::vector<Edit>& edits) const {
    Part at = member;
    if (const auto element = layout_.labels[slot].element) {
      const std::vector<Part> elements = json_parts(text, member.begin);
      if (*element >= elements.size()) return;
      at = elements[*element];
    }
    const LabelsOut::Column& wanted = labels_.columns[slot];
    const std::string_view value = text.substr(at.begin, at.end - at.begin);
    const bool on = wanted.matrix->get(row, wanted.label);
    if (on == is_on(value)) return;
    const bool words = value == "true" || value == "false";
    edits.push_back({at.begin, at.end, words ? (on ? "true" : "false") : (on ? "1" : "0")});
  }

  // How lists are written: by the first that is not empty.
  void learn(std::string_view text) {
    for (const Part& member : json_parts(text, skip_json_blanks(text, 0))) {
      if (member.key != layout_.list->key) continue;
      const std::string_view value = text.substr(member.begin, member.end - member.begin);
      texts_ = value.starts_with('"');
      const std::size_t first = skip_json_blanks(value, 1);
      knows_lists_ = texts_ || (value.starts_with('[') && value[first] != ']');
      numbers_ = !texts_ && knows_lists_ && value[first] != '"';
      if (value.find(texts_ ? layout_.separator + " " : ", ") != value.npos) blank_ = " ";
    }
  }

  // The list with the labels of a row; as it is where these are its labels already.
  std::string list(std::string_view value, std::size_t row) const {
    std::vector<std::pair<std::string, std::string>> now;  // the label, and as it is written
    const bool text = value.starts_with('"');
    if (text)
      for_parts(decoded(value), layout_.separator,
                [&](std::string_view name) { now.emplace_back(name, name); });
    else if (value.starts_with('['))
      for (const Part& one : json_parts(value, 0)) {
        const std::string_view json = value.substr(one.begin, one.end - one.begin);
        now.emplace_back(trimmed(decoded(json)), json);
      }
    std::erase_if(now, [](const auto& one) { return one.first.empty(); });
    std::set<std::size_t> there;
    std::set<std::string_view> before;
    std::vector<std::string> kept;
    for (const auto& [name, written] : now) {
      before.insert(name);
      const auto k = number_.find(name);
      if (k != number_.end() && labels_.list->get(row, k->second) && there.insert(k->second).second)
        kept.push_back(written);
    }
    bool changed = there.size() != before.size();
    labels_.list->for_each(row, [&](std::size_t k) {
      if (there.contains(k)) return;
      const std::string& name = (*labels_.names)[k];
      kept.push_back(text || numbers_ ? name : json_quoted(name));
      changed = true;
    });
    if (!changed) return std::string(value);
    const std::string between = (text ? layout_.separator : ",") + blank_;
    std::string all;
    for (const std::string& one : kept) all += (all.empty() ? "" : between) + one;
    return text ? json_quoted(all) : "[" + all + "]";
  }

  // Members that the record does not have yet.
  std::string further(std::size_t row, bool without_list, bool blanks) const {
    std::string out;
    const auto add = [&](const std::string& name, const std::string& value) {
      out += (blanks ? ", " : ",") + json_quoted(name) + (blanks ? ": " : ":") + value;
    };
    if (layout_.list && without_list) {
      bool any = false;
      labels_.list->for_each(row, [&](std::size_t) { any = true; });
      if (any) add(layout_.list->key, list(texts_ ? "\"\"" : "[]", row));
    }
    for (std::size_t k = 0; k < labels_.added.size(); ++k)
      add(labels_.added_names[k],
          labels_.added[k].matrix->get(row, labels_.added[k].label) ? "1" : "0");
    for (const ColumnBeside& column : beside_) {
      const std::string cell = column.cell(row);
      add(column.name, cell.empty() ? "null" : json_number(cell));
    }
    return out;
  }

  const SourceLayout& layout_;
  const LabelsOut& labels_;
  const std::vector<ColumnBeside>& beside_;
  std::map<std::string, std::vector<std::size_t>> slots_of_;
  std::map<std::string, std::size_t, std::less<>> number_;
  bool knows_lists_ = false, texts_ = false, numbers_ = false;
  std::string blank_;
};

}  // namespace

std::unique_ptr<RecordEditor> json_editor(const TableSource& source, const LabelsOut& labels,
                                          const std::vector<ColumnBeside>& beside) {
  return std::make_unique<JsonEditor>(source, labels, beside);
}

}  // namespace sieve
