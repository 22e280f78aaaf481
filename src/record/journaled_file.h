// A file whose changes come into force all at once, by `commit` (atomic commit with a write-ahead redo journal). After an error, a kill or
// a loss of power it is as the last commit left it, or as the one that was under way would have.
//
// What lies behind the committed end is written at once; committed pages that are overwritten wait in memory. A commit brings
// the new end to disk, writes the pages to FILE.journal, then into the file, and removes the journal. A journal that is found beside
// a file is whole, and is carried out by the next writer; readers see its pages without touching anything.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "record/files.h"

namespace tendril {

class JournaledFile {
 public:
  enum class Access { read, go_on, create };
  // Locked as HDF5 does it: one writer or many readers. Throws RecordError.
  JournaledFile(const std::filesystem::path& file, Access access);
  JournaledFile(const JournaledFile&) = delete;
  JournaledFile& operator=(const JournaledFile&) = delete;
  ~JournaledFile();  // without commit: what was written since the last one is dropped

  bool read(std::uint64_t at, std::span<std::byte> out);  // zeros behind the end; false: errno says why
  // Never fails as the writer sees it: after an error everything stays in memory, and `check` and `commit` throw.
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  void check() const;
  void commit(std::uint64_t size);  // the file has this length then
  std::uint64_t length() const { return length_; }

 private:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::uint64_t everything = std::numeric_limits<std::uint64_t>::max();
  using Page = std::array<std::byte, page_bytes>;

  JournaledFile(const std::filesystem::path& file, int descriptor) : file_(file), descriptor_(descriptor) {}
  void take_lock(bool writer);
  std::uint64_t length_on_disk() const;
  void sync() const;
  void keep(std::uint64_t at, std::span<const std::byte> bytes);
  std::vector<std::byte> journal_of(std::uint64_t length, std::uint64_t size) const;
  bool load_journal(std::uint64_t& size);
  void carry_out(std::uint64_t size);
  void fail(const std::string& sentence);

  std::filesystem::path file_, journal_;
  int descriptor_ = -1;
  FileIdentity identity_;
  std::uint64_t length_ = 0;             // with what waits in memory
  std::uint64_t committed_ = 0;          // whole pages: writes below it wait
  std::map<std::uint64_t, Page> pages_;  // by the offset in the file; only those that changed
  std::string failure_;                  // the first one
};

}  // namespace tendril
