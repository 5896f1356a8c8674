#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/json.h"
#include "data/csv/csv_columns.h"

namespace sieve {

// The keys of the data of the tasks that may name items: the one that the user has named, else
// those that are named as an id and differ from task to task.
class ItemKeys {
 public:
  explicit ItemKeys(std::string asked_for) : asked_for_(std::move(asked_for)) {}

  // Takes in the data of the next task.
  void add(const JsonValue& data) {
    data.for_members([&](std::string_view key, const JsonValue& value) {
      if (asked_for_.empty() ? id_name(key) == IdName::Yes : key == asked_for_)
        take(key, value.plain());
    });
    ++tasks_;
  }
  // The key that every task has, "id" before others; nullptr for none.
  const std::vector<std::string>* names() {
    const Key* best = nullptr;
    for (const auto& [name, key] : keys_) {
      const bool fits = key.names.size() == tasks_ && (!key.repeats || !asked_for_.empty());
      if (fits && (best == nullptr || key.order < best->order || name == "id")) {
        best = &key;
        chosen_ = name;
        if (name == "id") break;
      }
    }
    return best == nullptr ? nullptr : &best->names;
  }
  const std::string& chosen() const { return chosen_; }
  bool none() const { return keys_.empty(); }
  // How many tasks come before the first without the key that the user has named.
  std::size_t complete() const { return none() ? 0 : keys_.begin()->second.names.size(); }
  // A key named as an id that cannot name items; "" if there is none.
  std::string unfit() const {
    for (const auto& [name, key] : keys_)
      if (key.repeats || key.names.size() != tasks_) return name;
    return {};
  }

 private:
  struct Key {
    std::size_t order;
    std::vector<std::string> names{};  // of the tasks so far
    std::unordered_set<std::string> different{};
    bool repeats = false;
  };

  void take(std::string_view name, std::string item) {
    Key& key = keys_.try_emplace(std::string(name), Key{keys_.size()}).first->second;
    if (item.empty() || key.names.size() != tasks_) return;
    if (asked_for_.empty()) key.repeats |= !key.different.insert(item).second;
    key.names.push_back(std::move(item));
  }

  std::string asked_for_, chosen_;
  std::map<std::string, Key> keys_;
  std::size_t tasks_ = 0;
};

}  // namespace sieve
