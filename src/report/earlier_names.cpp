#include <algorithm>
#include <array>
#include <utility>

#include "report/rendered.h"

namespace sieve {
namespace {

// Now, and up to 0.2.0. To go with 0.4.0.
constexpr std::array<std::pair<const char*, const char*>, 8> kRenamed = {
    {{"annotator", "person"},
     {"annotators", "people"},
     {"annotations", "looks"},
     {"empty_annotations", "empty_looks"},
     {"fewest_annotations", "fewest_looks"},
     {"most_annotations", "most_looks"},
     {"probability", "confidence"},
     {"false_positive_rate", "false_ticks"}}};

}  // namespace

Json with_earlier_names(Json::Members members) {
  for (const auto& [now, earlier] : kRenamed) {
    const auto found = std::ranges::find(members, now, &Json::Members::value_type::first);
    if (found != members.end()) members.emplace_back(earlier, Json(found->second));
  }
  return Json::object(members);
}

}  // namespace sieve
