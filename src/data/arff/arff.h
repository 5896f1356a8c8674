#pragma once

#include "data/formats.h"

namespace sieve {

Likeness looks_like_arff(std::string_view front);
Dataset read_arff(InputStream& in, const std::string& path, const ReadOptions& options);
RawSet read_arff_raw(InputStream& in, const std::string& path, const ReadOptions& options);
void write_arff(const Dataset& data, OutputStream& out, const WriteOptions& options);
// Mulan's list of the label attributes, for the XML beside the file.
void write_arff_labels(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
