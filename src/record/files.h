// Files that are either whole or not there, and files that only grow. Failures throw RecordError with the system's words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tendril {

// Under a temporary name first, to disk, then renamed; the folder's entry to disk too. Links and pipes that stand at either name
// are replaced, never followed.
void write_whole(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_whole(const std::filesystem::path& file, std::string_view text);

// A whole regular file; pipes, devices and folders are refused instead of waited for.
std::vector<std::byte> read_whole(const std::filesystem::path& file, const char* what);
// Throws unless it is a regular file. `follow`: a link to one will do.
void require_regular(const std::filesystem::path& file, bool follow);
void sync_folder(const std::filesystem::path& folder);  // its entries to disk: names of new and renamed files

// Which file an open descriptor stands for, and whether a name still leads to it.
struct FileIdentity {
  std::uint64_t device = 0, number = 0;
  bool operator==(const FileIdentity&) const = default;
};
FileIdentity identity_of(int descriptor, const std::filesystem::path& file);
// Throws when the file was removed or replaced by another one under this name: what is written goes nowhere.
void require_still_there(const std::filesystem::path& file, const FileIdentity& identity);

// One writer per run folder: a lock on the folder itself, which ends with this object or with the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);  // throws RecordError when another writer has it
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};
bool folder_is_locked(const std::filesystem::path& folder);

// FNV-1a: finds torn files and changed scenes; not a protection against attacks.
std::uint64_t hash_bytes(std::span<const std::byte> bytes);
std::uint64_t hash_text(std::string_view text);

class GrowingFile {
 public:
  GrowingFile(const std::filesystem::path& file, std::uint64_t keep_bytes);  // cuts what is longer
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile();
  void add(std::string_view text) { waiting_ += text; }
  void flush();
  void sync();  // what was flushed, to disk; throws when the file is no longer there under its name
  std::uint64_t bytes() const { return written_ + waiting_.size(); }

 private:
  std::filesystem::path file_;  // for messages
  int descriptor_ = -1;
  FileIdentity identity_;
  std::uint64_t written_ = 0;  // bytes in the file
  std::string waiting_;        // not written yet
};

// The state of a simulation together with the number of frames and bytes that belong to it in the other files.
struct Checkpoint {
  std::uint64_t scene_hash = 0, frames = 0, csv_bytes = 0;  // which scene; how much of run.h5 and probes.csv belongs to it
  std::vector<std::byte> state;                             // Simulation::save
};
void write_checkpoint(const std::filesystem::path& file, std::uint64_t scene_hash, std::uint64_t frames,
                      std::uint64_t csv_bytes, std::span<const std::byte> state, std::vector<std::byte>& scratch);
Checkpoint read_checkpoint(const std::filesystem::path& file);

}  // namespace tendril
