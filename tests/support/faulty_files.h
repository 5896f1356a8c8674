#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "labelsieve/files.h"

namespace sieve::test {

// The real file system, except that one chosen call fails. Calls that change or read something are
// counted and recorded, so a test can fail each of them in turn.
class FaultyFiles final : public FileSystem {
 public:
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  enum class How { Refuse, Kill };
  // The call number `failing` (from 0) throws Error(Io), or kills the process. With `torn`, a
  // failing write first puts half of its bytes on the disk.
  explicit FaultyFiles(std::size_t failing = kNever, bool torn = false, How how = How::Refuse)
      : failing_(failing), torn_(torn), how_(how) {}

  std::function<void(const std::string& call)> on_call;  // before it is made
  const std::vector<std::string>& calls() const { return calls_; }
  // Counts the call; throws if it is the one to fail.
  void step(const std::string& call);
  bool next_fails() const { return calls_.size() == failing_; }
  bool torn() const { return torn_; }

  std::unique_ptr<InputStream> open(const std::string& path) override;
  std::shared_ptr<const MappedFile> map(const std::string& path) override;
  Destination destination(const std::string& path) override { return real().destination(path); }
  std::unique_ptr<NewFile> create(const std::string& path) override;
  std::unique_ptr<OutputStream> open_stream(const std::string& path) override;
  void remove(const std::string& path) override;
  void sync_folder(const std::string& folder) override;
  bool exists(const std::string& path) override { return real().exists(path); }
  bool is_folder(const std::string& path) override { return real().is_folder(path); }
  std::uint64_t size(const std::string& path) override { return real().size(path); }
  std::string stamp(const std::string& path) override { return real().stamp(path); }
  std::vector<std::string> list(const std::string& folder) override { return real().list(folder); }

 private:
  std::size_t failing_;
  bool torn_;
  How how_;
  std::vector<std::string> calls_;
};

}  // namespace sieve::test
