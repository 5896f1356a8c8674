#pragma once

#include "labelsieve/matrix.h"

// How features are stored has an effect on what is learnt from them: sparse and dense rows are
// scaled, cut and summed up in different ways. So the numbers decide about it, not the file or the
// array in which they came.
namespace sieve {

// Whether at most a quarter of the numbers are other than 0. Looks at some thousand rows, evenly
// spaced, if there are more.
bool are_mostly_zero(const Features& x);

// The same rows, sparse if they are mostly zero, else dense, and no zero in sparse rows: `x` itself
// where it is that already. Otherwise a copy; where that would take much of the memory, or the rows
// are in a large mapped file, a view of `x` that reads each row in the other form.
Features stored_by_content(const Features& x);

// The view alone.
Features seen_as_sparse(const Features& x);
Features seen_as_dense(const Features& x);

}  // namespace sieve
