#pragma once

#include <string>
#include <vector>

#include "review/review.h"

namespace sieve {

// What judged data give a review; `annotations` say where those of the data came from.
ReviewMaterial material_of(Judged judged, const AnnotationOptions& annotations = {});

// On earlier decisions, and on pictures and sounds that rows name and the folder does not have.
std::vector<std::string> notes_on(const Review& review);

}  // namespace sieve
