#include "data/formats.h"
#include "labelsieve/error.h"

// Stands in for the other files of this folder where LABELSIEVE_MAT is off.
namespace sieve {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error(Failure::Usage, "this LabelSieve was built without MAT files", {path, 0, 0},
              "build it with -DLABELSIEVE_MAT=ON, or use another format");
}

}  // namespace

Dataset read_mat(InputStream&, const std::string& path, const ReadOptions&) {
  refuse(path);
}

std::size_t read_mat_features(InputStream&, const std::string& path, const ReadOptions&,
                              std::size_t, const TakeFeatures&) {
  refuse(path);
}

void write_mat(const Dataset&, OutputStream&, const WriteOptions&) {
  refuse("");
}

}  // namespace sieve
