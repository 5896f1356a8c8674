#include "support/faulty_files.h"

#include <utility>

#include "labelsieve/error.h"

namespace sieve::test {
namespace {

class FaultyInput final : public InputStream {
 public:
  FaultyInput(FaultyFiles& files, std::unique_ptr<InputStream> below)
      : files_(files), below_(std::move(below)) {}
  std::size_t read(char* into, std::size_t size) override {
    files_.step("read");
    return below_->read(into, size);
  }

 private:
  FaultyFiles& files_;
  std::unique_ptr<InputStream> below_;
};

class FaultyOutput final : public OutputStream {
 public:
  FaultyOutput(FaultyFiles& files, std::unique_ptr<OutputStream> below)
      : files_(files), below_(std::move(below)) {}
  void write(std::string_view bytes) override {
    if (files_.next_fails() && files_.torn()) below_->write(bytes.substr(0, bytes.size() / 2));
    files_.step("write");
    below_->write(bytes);
  }
  void sync() override {
    files_.step("sync");
    below_->sync();
  }
  void close() override {
    files_.step("close");
    below_->close();
  }

 private:
  FaultyFiles& files_;
  std::unique_ptr<OutputStream> below_;
};

}  // namespace

void FaultyFiles::step(const std::string& call) {
  const bool fails = next_fails();
  calls_.push_back(call);
  if (fails) throw Error(Failure::Io, call + " failed: injected fault");
}

std::unique_ptr<InputStream> FaultyFiles::open(const std::string& path) {
  step("open");
  return std::make_unique<FaultyInput>(*this, real().open(path));
}

std::shared_ptr<const MappedFile> FaultyFiles::map(const std::string& path) {
  step("map");
  return real().map(path);
}

std::unique_ptr<OutputStream> FaultyFiles::create(const std::string& path) {
  step("create");
  return std::make_unique<FaultyOutput>(*this, real().create(path));
}

void FaultyFiles::rename(const std::string& from, const std::string& to) {
  step("rename");
  real().rename(from, to);
}

void FaultyFiles::remove(const std::string& path) {
  step("remove");
  real().remove(path);
}

void FaultyFiles::sync_folder(const std::string& folder) {
  step("sync_folder");
  real().sync_folder(folder);
}

}  // namespace sieve::test
