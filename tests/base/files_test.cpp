#include "labelsieve/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <set>

#include "base/new_file.h"
#include "base/random.h"
#include "labelsieve/error.h"
#include "support/faulty_files.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::FaultyFiles;
using test::read_file;
using test::refusal;
using test::TempFolder;
using test::write_file;
using ::testing::HasSubstr;

void replace(FileSystem& files, const std::string& path, const std::string& content) {
  AtomicFile file(files, path, IfExists::Replace);
  for (std::size_t i = 0; i < content.size(); i += 1000) file.write(content.substr(i, 1000));
  file.commit();
}

std::size_t files_in(const std::string& folder) {
  return FileSystem::real().list(folder).size();
}

TEST(AtomicFile, appears_only_when_committed) {
  const TempFolder folder;
  {
    AtomicFile file(FileSystem::real(), folder / "out", IfExists::Refuse);
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  }
  EXPECT_EQ(files_in(folder.path()), 0U);
  replace(FileSystem::real(), folder / "out", "whole");
  EXPECT_EQ(read_file(folder / "out"), "whole");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, syncs_the_file_before_the_rename_and_the_folder_after) {
  const TempFolder folder;
  FaultyFiles files;
  replace(files, folder / "out", "text");
  EXPECT_THAT(files.calls(),
              ::testing::ElementsAre("create", "write", "sync", "name", "place", "sync_folder"));
}

TEST(AtomicFile, leaves_the_old_or_the_new_file_whichever_call_fails) {
  const std::string old_text = "old", new_text(3U << 20, 'n');
  for (const bool torn : {false, true}) {
    std::size_t calls = 1;
    for (std::size_t failing = 0; failing < calls; ++failing) {
      const TempFolder folder;
      write_file(folder / "out", old_text);
      FaultyFiles counted;
      replace(counted, folder / "count", new_text);
      calls = counted.calls().size();
      std::filesystem::remove(folder / "count");

      FaultyFiles files(failing, torn);
      EXPECT_THAT(refusal([&] { replace(files, folder / "out", new_text); }),
                  HasSubstr("injected fault"));
      const std::string now = read_file(folder / "out");
      EXPECT_TRUE(now == old_text || now == new_text) << "call " << failing;
      EXPECT_EQ(files_in(folder.path()), 1U) << "leftovers after call " << failing;
    }
  }
}

TEST(AtomicFile, refuses_an_existing_file_unless_told_to_replace_it) {
  const TempFolder folder;
  write_file(folder / "out", "old");
  int code = 0;
  const std::string message =
      refusal([&] { AtomicFile(FileSystem::real(), folder / "out", IfExists::Refuse); }, &code);
  EXPECT_THAT(message, HasSubstr("exists already"));
  EXPECT_THAT(message, HasSubstr("if_exists=replace"));
  EXPECT_EQ(code, 5);
}

TEST(AtomicFile, refuses_when_another_writer_was_first) {
  const TempFolder folder;
  AtomicFile file(FileSystem::real(), folder / "out", IfExists::Refuse);
  file.write("mine");
  write_file(folder / "out", "theirs");
  EXPECT_THAT(refusal([&] { file.commit(); }), HasSubstr("exists already"));
  EXPECT_EQ(read_file(folder / "out"), "theirs");
}

TEST(AtomicFile, says_at_once_when_the_place_can_not_be_written) {
  const TempFolder folder;
  EXPECT_THAT(
      refusal([&] { AtomicFile(FileSystem::real(), folder / "no/such/out", IfExists::Refuse); }),
      HasSubstr("no/such' does not exist"));
  EXPECT_THAT(refusal([&] { AtomicFile(FileSystem::real(), folder.path(), IfExists::Replace); }),
              HasSubstr("folder"));
}

TEST(AtomicFile, replaces_the_file_behind_a_link_and_keeps_its_mode_and_owner) {
  const TempFolder folder;
  write_file(folder / "target", "old");
  ASSERT_EQ(::chmod((folder / "target").c_str(), 0640), 0);
  const bool root = ::getuid() == 0;
  if (root) {
    ASSERT_EQ(::chown((folder / "target").c_str(), 1234, 4321), 0);
  }
  std::filesystem::create_symlink("target", folder / "link");
  replace(FileSystem::real(), folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
  struct stat info {};
  ASSERT_EQ(::stat((folder / "target").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640U);
  EXPECT_EQ(info.st_uid, root ? 1234U : ::getuid());
  EXPECT_EQ(info.st_gid, root ? 4321U : ::getgid());
}

TEST(AtomicFile, a_link_that_dangles_leads_to_a_new_file_and_one_in_a_circle_is_refused) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "there");
  std::filesystem::create_symlink("there/target", folder / "link");
  AtomicFile file(FileSystem::real(), folder / "link", IfExists::Refuse);
  file.write("new");
  file.commit();
  EXPECT_EQ(read_file(folder / "there/target"), "new");
  EXPECT_THAT(refusal([&] { AtomicFile(FileSystem::real(), folder / "link", IfExists::Refuse); }),
              HasSubstr("exists already"));
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THAT(
      refusal([&] { AtomicFile(FileSystem::real(), folder / "circle", IfExists::Replace); }),
      HasSubstr("too many levels"));
}

TEST(AtomicFile, writes_to_a_pipe_and_refuses_a_socket) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  AtomicFile(FileSystem::real(), folder / "pipe", IfExists::Refuse);  // only asked
  AtomicFile file(FileSystem::real(), folder / "pipe", IfExists::Refuse);
  file.write("text");
  file.commit();
  std::array<char, 10> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  EXPECT_EQ(std::string(got.data()), "text");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));

  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{AF_UNIX, {}};
  (folder / "socket").copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  EXPECT_THAT(
      refusal([&] { AtomicFile(FileSystem::real(), folder / "socket", IfExists::Replace); }),
      HasSubstr("neither a file nor a pipe"));
  ::close(socket);
  EXPECT_TRUE(std::filesystem::is_socket(folder / "socket"));
}

TEST(AtomicFile, removes_what_dead_runs_left_beside_it_and_nothing_else) {
  for (const Unnamed unnamed : {Unnamed::IfPossible, Unnamed::Never}) {
    const TempFolder folder;
    for (const char* name : {"out.part-1", "out.part-77", "out.part-x", "other.part-1"})
      write_file(folder / name, "half");
    const std::unique_ptr<NewFile> living = make_new_file(folder / "out", Unnamed::Never);
    const std::unique_ptr<NewFile> file = make_new_file(folder / "out", unnamed);
    file->write("whole");
    const std::string beside = file->give_name();
    EXPECT_EQ(read_file(beside), "whole");
    file->put_in_place(IfExists::Refuse);
    EXPECT_THAT(FileSystem::real().list(folder.path()),
                ::testing::ElementsAre("other.part-1", "out", "out.part-0", "out.part-x"));
  }
}

TEST(AtomicFile, killed_at_any_call_leaves_nothing_that_is_in_the_way) {
  for (std::size_t failing = 0; failing < 6; ++failing) {
    const TempFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
      FaultyFiles files(failing, false, FaultyFiles::How::Kill);
      replace(files, folder / "out", "new");
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << failing;
    replace(FileSystem::real(), folder / "out", "newer");
    EXPECT_EQ(read_file(folder / "out"), "newer");
    EXPECT_EQ(files_in(folder.path()), 1U) << failing;
  }
}

TEST(AtomicFile, exactly_one_of_two_that_may_not_replace_succeeds) {
  const TempFolder folder;
  const auto first = make_new_file(folder / "out"), second = make_new_file(folder / "out");
  first->give_name();
  second->give_name();
  first->put_in_place(IfExists::Refuse);
  EXPECT_THAT(refusal([&] { second->put_in_place(IfExists::Refuse); }),
              HasSubstr("exists already"));
}

// Two files of a set that are replaced together.
struct Pair {
  TempFolder folder;
  std::string a = folder / "a", b = folder / "b";
  explicit Pair(const std::string& version) { put(FileSystem::real(), version); }
  void put(FileSystem& files, const std::string& version,
           IfExists if_exists = IfExists::Replace) const {
    FileSet set;
    for (const std::string& path : {a, b}) set.add(files, path, if_exists).write(version);
    set.commit();
  }
  // The version that both have; "mixed" if a reader is told so.
  std::string version() const {
    std::string messages;
    for (const std::string& path : {a, b})
      messages += refusal([&] { open_unpacked(FileSystem::real(), path); });
    if (!messages.empty()) {
      EXPECT_THAT(messages, HasSubstr("new are a, but not b"));
      return "mixed";
    }
    EXPECT_EQ(read_file(a), read_file(b));
    return read_file(a);
  }
};

TEST(FileSet, is_old_or_new_as_a_whole_or_known_to_be_mixed_whichever_call_fails) {
  for (const auto how : {FaultyFiles::How::Refuse, FaultyFiles::How::Kill}) {
    std::set<std::string> seen;
    for (std::size_t failing = 0; !seen.contains("all calls"); ++failing) {
      const Pair pair("older");
      const pid_t child = ::fork();
      if (child == 0) {
        FaultyFiles files(failing, false, how);
        const std::string message = refusal([&] { pair.put(files, "newer"); });
        ::_exit(message.empty() ? 0 : 5);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      if (status == 0) seen.insert("all calls");
      seen.insert(pair.version());
      pair.put(FileSystem::real(), "newest");
      EXPECT_EQ(pair.version(), "newest");
      EXPECT_EQ(files_in(pair.folder.path()), 2U) << failing;
    }
    EXPECT_THAT(seen, ::testing::UnorderedElementsAre("all calls", "older", "mixed", "newer"));
  }
}

TEST(FileSet, takes_back_new_files_where_another_run_was_first) {
  const TempFolder folder;
  FileSet set;
  for (const char* name : {"a", "b"})
    set.add(FileSystem::real(), folder / name, IfExists::Refuse).write("mine");
  write_file(folder / "b", "theirs");
  EXPECT_THAT(refusal([&] { set.commit(); }), HasSubstr("exists already"));
  EXPECT_THAT(FileSystem::real().list(folder.path()), ::testing::Contains("b"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pending"));
  EXPECT_EQ(read_file(folder / "b"), "theirs");
}

TEST(FileSet, refuses_two_outputs_of_one_name) {
  const TempFolder folder;
  FileSet set;
  set.add(FileSystem::real(), folder / "a", IfExists::Replace);
  EXPECT_THAT(refusal([&] { set.add(FileSystem::real(), folder / "./a", IfExists::Replace); }),
              HasSubstr("two outputs have this name"));
}

TEST(FileSet, packs_what_is_named_as_packed) {
  const TempFolder folder;
  const std::string text(100000, 'x');
  for (const char* name : {"a.csv.gz", "b.GZ", "c.csv", ".gz"}) {
    FileSet set;
    set.add(FileSystem::real(), folder / name, IfExists::Refuse).write(text);
    set.commit();
    const bool packed = name[0] == 'a' || name[0] == 'b';
    EXPECT_EQ(read_file(folder / name).starts_with("\x1f\x8b"), packed) << name;
    EXPECT_EQ(read_all(*open_unpacked(FileSystem::real(), folder / name), 1 << 20, name), text);
  }
  // A pipe too.
  const std::string pipe = folder / "p.gz";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FileSet set;
    set.add(FileSystem::real(), pipe, IfExists::Refuse).write(text);
    set.commit();
    ::_exit(0);
  }
  EXPECT_EQ(read_all(*open_unpacked(FileSystem::real(), pipe), 1 << 20, pipe), text);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(FileSet, packed_files_are_old_or_new_whichever_call_fails) {
  for (std::size_t failing = 0;; ++failing) {
    const TempFolder folder;
    const std::string path = folder / "a.gz";
    write_file(path, "older");
    FaultyFiles files(failing, false);
    const std::string message = refusal([&] {
      FileSet set;
      set.add(files, path, IfExists::Replace).write("newer");
      set.commit();
    });
    const std::string now = read_all(*open_unpacked(FileSystem::real(), path), 1 << 20, path);
    EXPECT_TRUE(now == "newer" || now == "older") << now;
    EXPECT_EQ(files_in(folder.path()), 1U);
    if (!message.empty()) continue;
    EXPECT_EQ(now, "newer");
    EXPECT_GT(failing, 2U);
    break;
  }
}

TEST(FileSet, signals_wait_until_all_files_are_in_place) {
  const Pair pair("older");
  FaultyFiles files;
  sigset_t blocked;
  FileSet set;
  for (const std::string& path : {pair.a, pair.b})
    set.add(files, path, IfExists::Replace).write("newer");
  files.on_call = [&](const std::string& call) {
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGTERM) != 0 || call != "place", true) << call;
  };
  set.commit();
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGTERM));
}

TEST(Files, a_missing_file_and_a_folder_are_io_errors_that_name_the_path) {
  const TempFolder folder;
  int code = 0;
  EXPECT_THAT(refusal([&] { FileSystem::real().open(folder / "none"); }, &code),
              HasSubstr(folder / "none"));
  EXPECT_EQ(code, 5);
  EXPECT_THAT(refusal([&] { FileSystem::real().open(folder.path()); }), HasSubstr("folder"));
}

std::string packed(const std::string& text) {
  struct Sink final : OutputStream {
    std::string bytes;
    void write(std::string_view part) override { bytes += part; }
    void sync() override {}
    void close() override {}
  } sink;
  const std::unique_ptr<OutputStream> out = gzip_into(sink);
  out->write(text);
  out->close();
  return sink.bytes;
}

std::string unpacked(const std::string& path) {
  return read_all(*open_unpacked(FileSystem::real(), path), 1U << 30, path);
}

std::string random_text(std::size_t size) {
  Random random(5, Purpose::Test);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random.below(20));
  return text;
}

TEST(Gzip, is_unpacked_on_the_way_in_and_plain_files_pass) {
  const TempFolder folder;
  const std::string text = random_text(300000);
  write_file(folder / "plain", text);
  write_file(folder / "packed", packed(text));
  write_file(folder / "two-members", packed(text) + packed("tail"));
  write_file(folder / "empty", "");
  write_file(folder / "one", "x");
  EXPECT_EQ(unpacked(folder / "plain"), text);
  EXPECT_EQ(unpacked(folder / "packed"), text);
  EXPECT_EQ(unpacked(folder / "two-members"), text + "tail");
  EXPECT_EQ(unpacked(folder / "empty"), "");
  EXPECT_EQ(unpacked(folder / "one"), "x");
}

TEST(Gzip, truncated_at_any_byte_is_refused) {
  const TempFolder folder;
  const std::string whole = packed(random_text(2000));
  for (std::size_t size = 2; size < whole.size(); size += 7) {
    write_file(folder / "cut", whole.substr(0, size));
    EXPECT_THAT(refusal([&] { unpacked(folder / "cut"); }), HasSubstr("ends too early"))
        << "at " << size;
  }
}

TEST(Gzip, flipped_bytes_are_refused_or_harmless) {
  const TempFolder folder;
  const std::string text = random_text(500), whole = packed(text);
  for (std::size_t at = 2; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    write_file(folder / "bad", bad);
    std::string got = text;
    const std::string message = refusal([&] { got = unpacked(folder / "bad"); });
    EXPECT_TRUE(!message.empty() || got == text) << "at " << at;
  }
}

TEST(Files, read_all_stops_at_its_limit) {
  const TempFolder folder;
  write_file(folder / "big", std::string(100000, 'x'));
  const auto in = FileSystem::real().open(folder / "big");
  EXPECT_THAT(refusal([&] { read_all(*in, 99999, "big"); }), HasSubstr("larger than"));
}

}  // namespace
}  // namespace sieve
