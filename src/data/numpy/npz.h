#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/numpy/npy.h"

namespace sieve {

// The arrays of an .npz file, which is a ZIP file of .npy files. Each is unpacked when it is asked
// for, and its header is looked at before the rest.
class NpzFile {
 public:
  // `bytes` must outlive it. Error(Data) if it is not a ZIP file.
  NpzFile(std::string_view bytes, std::string path);
  ~NpzFile();

  const std::vector<std::string>& names() const { return names_; }  // without .npy
  bool has(std::string_view name) const;
  // The first of these that there is; "" for none.
  std::string first_of(std::initializer_list<std::string_view> names) const;
  // Error(Data) if it is missing or damaged. The bytes live as long as this.
  NpyArray array(const std::string& name);

 private:
  struct Zip;
  std::unique_ptr<Zip> zip_;
  std::string path_;
  std::vector<std::string> names_;
  std::vector<AlignedBytes> unpacked_;
};

}  // namespace sieve
