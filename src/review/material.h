#pragma once

#include <string>
#include <vector>

#include "review/review.h"

namespace sieve {

// What judged data give a review; the texts of rows are read from where the data came from.
ReviewMaterial material_of(Judged judged, const std::vector<std::string>& paths,
                           const ReadOptions& read);

}  // namespace sieve
