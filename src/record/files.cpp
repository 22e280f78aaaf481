#include "record/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

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
  explicit Descriptor(int id) : id_(id) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  int get() const { return id_; }
  int release() { return std::exchange(id_, -1); }
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
    // A temporary that an earlier process left, or that somebody laid there as a trap, goes away as a name; nothing is followed.
    ::unlink(temporary.c_str());
    Descriptor out(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    try {
      write_all(out.get(), reinterpret_cast<const char*>(bytes.data()), bytes.size(), temporary);
      if (::fsync(out.get()) != 0) fail(temporary, "write to disk");
      if (out.close() != 0) fail(temporary, "close the file");
    } catch (const RecordError&) {
      ::unlink(temporary.c_str());
      throw;
    }
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    fail(file, "rename the file");
  }
  sync_folder(file.parent_path());
}

void write_whole(const std::filesystem::path& file, std::string_view text) {
  write_whole(file, std::as_bytes(std::span(text.data(), text.size())));
}

void sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path place = folder.empty() ? std::filesystem::path(".") : folder;
  const Descriptor open(place, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot do it for folders: then the system's own order has to do.
  if (::fsync(open.get()) != 0 && errno != EINVAL && errno != ENOTSUP) fail(place, "write to disk");
}

std::vector<std::byte> read_whole(const std::filesystem::path& file, const char* what) {
  // Without waiting: a pipe would hold up the open until somebody writes into it.
  const int id = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (id < 0) fail(file, what);
  const Descriptor in(id);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) fail(file, what);
  if (!S_ISREG(status.st_mode)) throw RecordError(file.string() + ": is not a regular file");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = ::read(in.get(), bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(file, what);
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  bytes.resize(have);
  return bytes;
}

void require_regular(const std::filesystem::path& file, bool follow) {
  struct stat status {};
  if ((follow ? ::stat(file.c_str(), &status) : ::lstat(file.c_str(), &status)) != 0) fail(file, "open the file");
  if (!S_ISREG(status.st_mode))
    throw RecordError(fmt::format("{}: is {}, not a regular file", file.string(),
                                  S_ISLNK(status.st_mode)    ? "a link"
                                  : S_ISFIFO(status.st_mode) ? "a pipe"
                                  : S_ISDIR(status.st_mode)  ? "a folder"
                                                             : "a device"));
}

FileIdentity identity_of(int descriptor, const std::filesystem::path& file) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(file, "look at the file");
  return {status.st_dev, status.st_ino};
}

void require_still_there(const std::filesystem::path& file, const FileIdentity& identity) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || FileIdentity{status.st_dev, status.st_ino} != identity)
    throw RecordError(file.string() +
                      ": was removed, moved or replaced while the run was writing it; the run cannot be kept");
}

namespace {
int open_folder_to_lock(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : descriptor_(open_folder_to_lock(folder)) {
  if (descriptor_ < 0) fail(folder, "open the folder");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  ::close(std::exchange(descriptor_, -1));
  if (reason == EWOULDBLOCK)
    throw RecordError(folder.string() +
                      ": another tendril is writing its run there; wait until it has ended or stop it with Ctrl-C, or "
                      "choose another folder with -o");
  // A file system without such locks (some network ones): two runs in one folder stay unnoticed there.
}
FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
bool folder_is_locked(const std::filesystem::path& folder) {
  const int id = open_folder_to_lock(folder.empty() ? std::filesystem::path(".") : folder);
  if (id < 0) return false;
  const bool locked = ::flock(id, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(id);
  return locked;
}

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211ull;
  return hash;
}
std::uint64_t hash_text(std::string_view text) { return hash_bytes(std::as_bytes(std::span(text.data(), text.size()))); }

GrowingFile::GrowingFile(const std::filesystem::path& file, std::uint64_t keep_bytes) : file_(file), written_(keep_bytes) {
  // Links are not followed, a pipe is not waited for.
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0) require_regular(file, false);
  Descriptor open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  if (::fstat(open.get(), &status) != 0) fail(file, "look at the file");
  if (static_cast<std::uint64_t>(status.st_size) < keep_bytes)
    throw RecordError(fmt::format("{}: has {} bytes, the checkpoint {}: start again without --resume", file.string(),
                                  status.st_size, keep_bytes));
  if (::ftruncate(open.get(), static_cast<off_t>(keep_bytes)) != 0 ||
      ::lseek(open.get(), static_cast<off_t>(keep_bytes), SEEK_SET) < 0)
    fail(file, "cut the file to length");
  identity_ = identity_of(open.get(), file);
  descriptor_ = open.release();
}
GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
void GrowingFile::flush() {
  write_all(descriptor_, waiting_.data(), waiting_.size(), file_);
  written_ += waiting_.size();
  waiting_.clear();
}
void GrowingFile::sync() {
  if (::fdatasync(descriptor_) != 0) fail(file_, "write to disk");
  require_still_there(file_, identity_);
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
  const std::vector<std::byte> bytes = read_whole(file, "open the checkpoint");
  const std::span<const std::byte> all(bytes);
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
