#pragma once

#include <cstddef>
#include <memory>
#include <optional>
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

}  // namespace sieve
