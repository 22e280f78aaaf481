// Files that are either whole or not there, and files that only grow. Failures throw RecordError with the system's words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tendril {

// Under a temporary name first, to disk, then renamed.
void write_whole(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_whole(const std::filesystem::path& file, std::string_view text);

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
  std::uint64_t bytes() const { return written_ + waiting_.size(); }

 private:
  std::filesystem::path file_;  // for messages
  int descriptor_ = -1;
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
