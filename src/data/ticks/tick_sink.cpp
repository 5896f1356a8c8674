#include "data/ticks/tick_sink.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/label_columns.h"
#include "data/text/text_lines.h"
#include "labelsieve/words.h"

namespace sieve {

void TickSink::look(std::string_view item, std::string_view person, const Place& place) {
  if (trimmed(item).empty())
    throw Error(Failure::Data, "a judgement without an item", place,
                "every judgement needs an item; name its column with " + term("ticks.item"));
  if (trimmed(person).empty())
    throw Error(Failure::Data, "a judgement without a person", place,
                "every judgement needs a person; name its column with " + term("ticks.person"));
  end_look();
  item_ = items_.number(item);
  person_ = people_.number(person);
  open_ = true;
}

// A look is told by its ticks, and has to be said only where there is none.
void TickSink::end_look() {
  if (!std::exchange(open_, false)) return;
  votes_.look(item_, person_);
  known_ = true;
}

void TickSink::tick(std::string_view label) {
  if (trimmed(label).empty()) return;
  votes_.tick(item_, person_, labels_.number(label));
  open_ = false;
}

Ticks TickSink::finish(const std::string& path, std::vector<std::string>* notes) {
  if (items_.size() == 0)
    throw Error(Failure::Data, "there are no ticks", {path, 0, 0},
                "check that the file was exported and copied whole");
  end_look();
  Ticks ticks;
  ticks.items = items_.names();
  ticks.votes = votes_.finish(ticks.items.size(), people_.names());

  std::vector<std::string> names = labels_.names();
  std::vector<std::uint32_t> order(names.size()), number(names.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::sort(order, {}, [&](std::uint32_t k) -> const std::string& { return names[k]; });
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    number[order[k]] = k;
    ticks.labels.push_back(std::move(names[order[k]]));
  }
  check_names(ticks.labels, "label", path);
  ticks.votes = ticks.votes.renumber_labels(number);

  if (left_out_ != 0)
    note(std::to_string(left_out_) + " rejected or cancelled judgements were left out");
  if (assumed_ && !known_)
    note(
        "assumed that whoever ticked a label of an item looked at it, and nobody else did: lines "
        "without a label, or " +
        term("ticks.looked") + ", tell of people who looked and ticked nothing");
  if (notes != nullptr)
    for (const std::string& sentence : notes_) notes->push_back(path + ": " + sentence);
  return ticks;
}

}  // namespace sieve
