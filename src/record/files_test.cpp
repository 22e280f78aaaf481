#include "record/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "record/record_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

SENTENCE("record",
         "a file that is written whole follows no link and waits for no pipe, neither under its name nor under its "
         "temporary one") {
  TemporaryFolder folder;
  const fs::path victim = folder.write("victim", "precious");
  for (const char* name : {"a.txt", "a.txt.new"}) {
    fs::create_symlink(victim, folder / name);
    write_whole(folder / "a.txt", "new");
    EXPECT_EQ(read_text_file(folder / "a.txt"), "new");
    EXPECT_EQ(read_text_file(victim), "precious") << name;
    EXPECT_FALSE(fs::is_symlink(folder / "a.txt"));
    fs::remove(folder / "a.txt");
    ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0);
    write_whole(folder / "a.txt", "again");
    EXPECT_EQ(read_text_file(folder / "a.txt"), "again");
    fs::remove(folder / "a.txt");
  }
  EXPECT_FALSE(fs::exists(folder / "a.txt.new"));
}

SENTENCE("record", "a growing file refuses links and pipes, and notices that it was taken away") {
  TemporaryFolder folder;
  const fs::path victim = folder.write("victim", "precious");
  fs::create_symlink(victim, folder / "link");
  EXPECT_THROW(GrowingFile(folder / "link", 0), RecordError);
  EXPECT_EQ(read_text_file(victim), "precious");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(GrowingFile(folder / "pipe", 0), RecordError);
  EXPECT_THROW(read_checkpoint(folder / "pipe"), RecordError);
  EXPECT_THROW(TrajectoryReader(folder / "pipe"), RecordError);
  EXPECT_THROW(GrowingFile(victim, 100), RecordError);  // shorter than it should be
  GrowingFile file(folder / "a.csv", 0);
  file.add("1,2\n");
  file.flush();
  EXPECT_NO_THROW(file.sync());
  fs::remove(folder / "a.csv");
  EXPECT_THROW(file.sync(), RecordError);
}

SENTENCE("record", "a folder has one writer at a time, and its lock ends with the writer") {
  TemporaryFolder folder;
  {
    const FolderLock lock(folder.path());
    EXPECT_TRUE(folder_is_locked(folder.path()));
    EXPECT_THROW(FolderLock(folder.path()), RecordError);
  }
  EXPECT_FALSE(folder_is_locked(folder.path()));
  EXPECT_NO_THROW(FolderLock(folder.path()));
}

}  // namespace
}  // namespace tendril
