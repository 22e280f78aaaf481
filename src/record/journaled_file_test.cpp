#include "record/journaled_file.h"

#include "record/record_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Access = JournaledFile::Access;

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }
std::string text_of(JournaledFile& file, std::uint64_t at, std::size_t size) {
  std::string text(size, '?');
  EXPECT_TRUE(file.read(at, std::as_writable_bytes(std::span(text.data(), text.size()))));
  return text;
}
// The journal that sets whole pages: its layout, written down a second time.
std::string journal(std::uint64_t length, std::uint64_t size, const std::map<std::uint64_t, std::string>& pages) {
  std::string out = "tendjrn1";
  const auto add = [&out](std::uint64_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); };
  add(length), add(size), add(pages.size());
  for (const auto& [offset, page] : pages) add(offset), out += page;
  add(hash_text(out));
  return out;
}
const std::string page_a(4096, 'a'), page_b(4096, 'b'), page_c(4096, 'c');

SENTENCE("record", "what is written to a journaled file comes into force with a commit, and without one it is dropped") {
  TemporaryFolder folder;
  const fs::path path = folder / "file";
  {
    JournaledFile file(path, Access::create);
    file.write(0, as_bytes(page_a + page_a + "tail"));
    file.commit(8196);
    file.write(100, as_bytes("overwritten"));
    file.write(4090, as_bytes("across two pages"));
    file.write(8190, as_bytes(page_b + page_b + page_b));
    EXPECT_EQ(text_of(file, 99, 13), "aoverwrittena");
    EXPECT_EQ(text_of(file, 4090, 16), "across two pages");
    EXPECT_EQ(text_of(file, 8189, 4096), "a" + std::string(4095, 'b'));
    EXPECT_EQ(read_text_file(path).substr(0, 8196), page_a + page_a + "tail");
    EXPECT_FALSE(fs::exists(folder / "file.journal"));
  }
  {
    JournaledFile file(path, Access::go_on);
    EXPECT_EQ(text_of(file, 0, 8196), page_a + page_a + "tail");
    file.write(100, as_bytes("overwritten"));
    file.write(8190, as_bytes(page_b + page_b));
    file.commit(8190 + 5000);
  }
  std::string expected = page_a + page_a;
  expected.replace(100, 11, "overwritten");
  EXPECT_EQ(read_text_file(path), expected.substr(0, 8190) + std::string(5000, 'b'));
  EXPECT_FALSE(fs::exists(folder / "file.journal"));
  EXPECT_FALSE(fs::exists(folder / "file.journal.new"));
}

SENTENCE("record",
         "a journal that was left beside a file is seen by readers, and carried out and removed by the next writer") {
  TemporaryFolder folder;
  const std::string tail = "behind the end", after = page_a + page_b + page_c;
  // As it was when the journal was written, while it was carried out, and before the journal was removed.
  for (const std::string& before : {page_a + page_a + page_a + tail, page_a + page_b + page_a + tail, after + tail, after}) {
    const fs::path path = folder.write("file", before), beside = folder / "file.journal";
    folder.write("file.journal", journal(3 * 4096 + tail.size(), 3 * 4096, {{4096, page_b}, {8192, page_c}}));
    fs::remove(folder / "link");
    fs::create_symlink("file", folder / "link");
    for (const char* name : {"file", "link"}) {
      JournaledFile reader(folder / name, Access::read);
      EXPECT_EQ(text_of(reader, 0, after.size()), after) << name;
    }
    EXPECT_TRUE(fs::exists(beside));
    EXPECT_EQ(read_text_file(path), before);
    JournaledFile writer(path, Access::go_on);
    EXPECT_EQ(text_of(writer, 0, after.size()), after);
    EXPECT_EQ(read_text_file(path), after);
    EXPECT_FALSE(fs::exists(beside));
  }
}

SENTENCE("record",
         "a journal that is torn, damaged or of another file is ignored by readers and removed by the next writer") {
  TemporaryFolder folder;
  const std::string before = page_a + page_a, whole = journal(8192, 8192, {{4096, page_b}});
  std::vector<std::string> bad{"", "t", whole + "more", journal(8193, 8191, {{4096, page_b}}), journal(4096, 8192, {})};
  for (const std::size_t cut : {std::size_t{8}, std::size_t{32}, std::size_t{40}, whole.size() / 2, whole.size() - 1})
    bad.push_back(whole.substr(0, cut));
  for (const std::size_t place : {std::size_t{0}, std::size_t{9}, std::size_t{25}, std::size_t{33}, whole.size() - 1}) {
    bad.push_back(whole);
    bad.back()[place] = static_cast<char>(bad.back()[place] ^ 1);
  }
  for (const std::string& text : bad) {
    const fs::path path = folder.write("file", before), beside = folder.write("file.journal", text);
    {
      JournaledFile reader(path, Access::read);
      EXPECT_EQ(text_of(reader, 0, before.size()), before) << text.size();
    }
    const JournaledFile writer(path, Access::go_on);
    EXPECT_EQ(read_text_file(path), before) << text.size();
    EXPECT_FALSE(fs::exists(beside));
  }
}

SENTENCE("record",
         "a journaled file has one writer or many readers, follows no link to write, and notices that it was taken away") {
  TemporaryFolder folder;
  const fs::path path = folder.write("file", page_a);
  {
    const JournaledFile one(path, Access::read), two(path, Access::read);
    EXPECT_THROW(JournaledFile(path, Access::go_on), RecordError);
  }
  fs::create_symlink("file", folder / "link");
  EXPECT_THROW(JournaledFile(folder / "link", Access::go_on), RecordError);
  EXPECT_THROW(JournaledFile(folder / "link", Access::create), RecordError);
  EXPECT_THROW(JournaledFile(path, Access::create), RecordError);
  JournaledFile file(path, Access::go_on);
  EXPECT_THROW(JournaledFile(path, Access::read), RecordError);
  file.write(0, as_bytes("new"));
  fs::rename(path, folder / "elsewhere");
  EXPECT_THROW(file.commit(4096), RecordError);
  EXPECT_THROW(file.check(), RecordError);
  EXPECT_EQ(read_text_file(folder / "elsewhere"), page_a);
}

}  // namespace
}  // namespace tendril
