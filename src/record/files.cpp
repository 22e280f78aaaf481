#include "record/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tendril/record.h"

namespace tendril {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* what) {
  const int reason = errno;
  throw RecordError(fmt::format("{}: could not {}: {}", file.string(), what, std::strerror(reason)));
}

void write_all(int descriptor, const char* data, std::size_t size, const std::filesystem::path& file) {
  while (size > 0) {
    const ssize_t count = ::write(descriptor, data, size);
    if (count < 0) {
      if (errno == EINTR) continue;
      fail(file, "write to disk");
    }
    data += count, size -= static_cast<std::size_t>(count);
  }
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags) : id_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {
    if (id_ < 0) fail(file, "open the file");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  int get() const { return id_; }
  int close() { return ::close(std::exchange(id_, -1)); }

 private:
  int id_;
};

}  // namespace

void write_whole(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  // Under another name, on disk, then renamed: a reader sees the old file or the new one, never half of one.
  std::filesystem::path temporary = file;
  temporary += ".new";
  {
    Descriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    try {
      write_all(out.get(), reinterpret_cast<const char*>(bytes.data()), bytes.size(), temporary);
      if (::fsync(out.get()) != 0) fail(temporary, "write to disk");
      if (out.close() != 0) fail(temporary, "close the file");
    } catch (const RecordError&) {
      ::unlink(temporary.c_str());
      throw;
    }
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail(file, "rename the file");
}

void write_whole(const std::filesystem::path& file, std::string_view text) {
  write_whole(file, std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211ull;
  return hash;
}
std::uint64_t hash_text(std::string_view text) { return hash_bytes(std::as_bytes(std::span(text.data(), text.size()))); }

GrowingFile::GrowingFile(const std::filesystem::path& file, std::uint64_t keep_bytes) : file_(file), written_(keep_bytes) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail(file, "open the file");
  if (::ftruncate(descriptor_, static_cast<off_t>(keep_bytes)) != 0 ||
      ::lseek(descriptor_, static_cast<off_t>(keep_bytes), SEEK_SET) < 0)
    fail(file, "cut the file to length");
}
GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
void GrowingFile::flush() {
  write_all(descriptor_, waiting_.data(), waiting_.size(), file_);
  written_ += waiting_.size();
  waiting_.clear();
}

namespace {
constexpr char checkpoint_magic[8] = {'t', 'e', 'n', 'd', 'r', 'i', 'l', '1'};
struct CheckpointHead {
  char magic[8];
  std::uint64_t scene_hash, frames, csv_bytes, state_bytes;
};
}  // namespace

void write_checkpoint(const std::filesystem::path& file, std::uint64_t scene_hash, std::uint64_t frames,
                      std::uint64_t csv_bytes, std::span<const std::byte> state, std::vector<std::byte>& scratch) {
  // Head, state, hash of both.
  CheckpointHead head{{}, scene_hash, frames, csv_bytes, state.size()};
  std::memcpy(head.magic, checkpoint_magic, sizeof head.magic);
  const auto head_bytes = std::as_bytes(std::span(&head, 1));
  scratch.assign(head_bytes.begin(), head_bytes.end());
  scratch.insert(scratch.end(), state.begin(), state.end());
  const std::uint64_t hash = hash_bytes(scratch);
  const auto hash_as_bytes = std::as_bytes(std::span(&hash, 1));
  scratch.insert(scratch.end(), hash_as_bytes.begin(), hash_as_bytes.end());
  write_whole(file, scratch);
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, "open the checkpoint");
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto all = std::as_bytes(std::span(bytes));
  CheckpointHead head{};
  std::uint64_t hash = 0;
  const auto torn = [&file] {
    return RecordError(file.string() + ": this is no whole checkpoint; start again without --resume");
  };
  // Nothing is believed before length and hash are right.
  if (all.size() < sizeof head + sizeof hash) throw torn();
  std::memcpy(&head, all.data(), sizeof head);
  std::memcpy(&hash, all.data() + all.size() - sizeof hash, sizeof hash);
  if (std::memcmp(head.magic, checkpoint_magic, sizeof head.magic) != 0 ||
      head.state_bytes != all.size() - sizeof head - sizeof hash || hash != hash_bytes(all.first(all.size() - sizeof hash)))
    throw torn();
  const auto state = all.subspan(sizeof head, head.state_bytes);
  return {head.scene_hash, head.frames, head.csv_bytes, {state.begin(), state.end()}};
}

}  // namespace tendril
