#pragma once

#include <span>
#include <string_view>

#include "data/mat/scratch_file.h"

// Version 7.3 of MAT is an HDF5 file. It is read and written by matio and HDF5, which are known to
// crash, hang or take all memory on hostile files and keep global state. They therefore never run
// in this process: a forked child with limits on memory, processor time and output turns the file
// into a level-5 one (or the other way round), and only that is looked at here. Costs: the unpacked
// variables are held twice for a moment, and none of them may reach 4 GB.
namespace sieve {

// Rewrites version 7.3 as level 5: the variables in `wanted`; of all others an empty matrix, so
// that their names are known. False if the child did not come to a good end.
bool mat73_to_mat5(const ScratchFile& from, const ScratchFile& to,
                   std::span<const std::string_view> wanted);
// Rewrites a level-5 file of ours as version 7.3.
bool mat5_to_mat73(const ScratchFile& from, const ScratchFile& to);

}  // namespace sieve
