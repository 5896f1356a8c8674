#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/new_file.h"
#include "labelsieve/files.h"

namespace sieve {

// A temporary file in /tmp, gone when this is. It has a name, which HDF5 insists on.
class ScratchFile final : public OutputStream {
 public:
  ScratchFile();
  ~ScratchFile() override;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // From here on it has no name, and is gone even if this program is killed.
  void drop_name();
  void write(std::string_view bytes) override;
  void sync() override {}
  void close() override {}
  // The content as it is now, which outlives this; null if there is none.
  std::shared_ptr<const MappedFile> map() const;
  std::size_t size() const;
  const std::string& path() const { return name_->text(); }

 private:
  std::optional<UnfinishedName> name_;
  int fd_;
};

// Version 7.3 of MAT is an HDF5 file. It is read and written by matio and HDF5, which are known to
// crash, hang or take all memory on hostile files and keep global state. They therefore never run
// in this process: a forked child with limits on memory, processor time and output turns the file
// into a level-5 one (or the other way round), and only that is looked at here. Costs: the unpacked
// variables are held twice for a moment, and none of them may reach 4 GB.

// Rewrites version 7.3 as level 5: the variables in `wanted`; of all others an empty matrix, so
// that their names are known. False if the child did not come to a good end.
bool mat73_to_mat5(const ScratchFile& from, const ScratchFile& to,
                   std::span<const std::string_view> wanted);
// Rewrites a level-5 file of ours as version 7.3.
bool mat5_to_mat73(const ScratchFile& from, const ScratchFile& to);

}  // namespace sieve
