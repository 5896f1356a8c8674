#pragma once

#include "review/review.h"

namespace sieve {

// What judged data give a review; `annotations` say where those of the data came from.
ReviewMaterial material_of(Judged judged, const AnnotationOptions& annotations);

}  // namespace sieve
