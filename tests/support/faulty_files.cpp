#include "support/faulty_files.h"

#include <csignal>
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

// Around an OutputStream or a NewFile.
template <class Stream>
class FaultyOutput : public Stream {
 public:
  FaultyOutput(FaultyFiles& files, std::unique_ptr<Stream> below)
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

 protected:
  FaultyFiles& files_;
  std::unique_ptr<Stream> below_;
};

class FaultyNewFile final : public FaultyOutput<NewFile> {
 public:
  using FaultyOutput::FaultyOutput;
  std::string give_name() override {
    files_.step("name");
    return below_->give_name();
  }
  void put_in_place(IfExists if_exists) override {
    files_.step("place");
    below_->put_in_place(if_exists);
  }
};

}  // namespace

void FaultyFiles::step(const std::string& call) {
  const bool fails = next_fails();
  calls_.push_back(call);
  if (on_call) on_call(call);
  if (fails && how_ == How::Kill) std::raise(SIGKILL);
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

std::unique_ptr<NewFile> FaultyFiles::create(const std::string& path) {
  step("create");
  return std::make_unique<FaultyNewFile>(*this, real().create(path));
}

std::unique_ptr<OutputStream> FaultyFiles::open_stream(const std::string& path) {
  step("open_stream");
  return std::make_unique<FaultyOutput<OutputStream>>(*this, real().open_stream(path));
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
