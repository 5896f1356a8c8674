#include "labelsieve/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "labelsieve/error.h"
#include "labelsieve/random.h"
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
              ::testing::ElementsAre("create", "write", "sync", "close", "rename", "sync_folder"));
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
  EXPECT_THAT(message, HasSubstr("--force"));
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
      HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal([&] { AtomicFile(FileSystem::real(), folder.path(), IfExists::Replace); }),
              HasSubstr("folder"));
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
