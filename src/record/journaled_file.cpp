#include "record/journaled_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "tendril/record.h"

namespace tendril {
namespace {

constexpr char journal_magic[8] = {'t', 'e', 'n', 'd', 'j', 'r', 'n', '1'};
// Then the pages, each after its offset, and the hash of everything before it.
struct JournalHead {
  char magic[8];
  std::uint64_t length, size, pages;  // of the file when the journal is carried out, and after that
};

std::string could_not(const std::filesystem::path& file, const char* what) {
  return fmt::format("{}: could not {}: {}", file.string(), what, std::strerror(errno));
}

int open_journaled(const std::filesystem::path& file, JournaledFile::Access access) {
  using enum JournaledFile::Access;
  const int flags = access == read    ? O_RDONLY
                    : access == go_on ? O_RDWR | O_NOFOLLOW
                                      : O_RDWR | O_NOFOLLOW | O_CREAT | O_EXCL;
  const int descriptor = ::open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) throw RecordError(could_not(file, access == create ? "create the file" : "open the file"));
  return descriptor;
}

// As much as there is; -1: an error.
ssize_t read_at(int descriptor, std::uint64_t at, std::span<std::byte> out) {
  std::size_t have = 0;
  while (have < out.size()) {
    const ssize_t count = ::pread(descriptor, out.data() + have, out.size() - have, static_cast<off_t>(at + have));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(have);
}

bool write_at(int descriptor, std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    at += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

template <class T>
void add_bytes(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}
template <class T>
T bytes_as(const std::byte*& from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

}  // namespace

JournaledFile::JournaledFile(const std::filesystem::path& file, Access access)
    : JournaledFile(file, open_journaled(file, access)) {
  take_lock(access != Access::read);
  identity_ = identity_of(descriptor_, file_);
  length_ = length_on_disk();
  std::error_code error;
  // Readers may come by a link: the journal stands beside what it leads to.
  journal_ = access == Access::read ? std::filesystem::canonical(file, error) : file;
  journal_ += ".journal";
  // A journal is carried out by a writer and seen by a reader; one that is torn or belongs to another file counts for nothing.
  std::uint64_t size = 0;
  const bool whole = access != Access::create && load_journal(size);
  if (access == Access::read) return;
  if (whole)
    carry_out(size);
  else if (std::filesystem::remove(journal_, error); error)
    throw RecordError(fmt::format("{}: could not remove the journal: {}", journal_.string(), error.message()));
  length_ = length_on_disk();
  committed_ = (length_ + page_bytes - 1) / page_bytes * page_bytes;
}

JournaledFile::~JournaledFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void JournaledFile::take_lock(bool writer) {
  // File systems without locks (some network ones) have to do without.
  if (::flock(descriptor_, (writer ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw RecordError(file_.string() + ": could not open the file: another program has it open");
}

std::uint64_t JournaledFile::length_on_disk() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw RecordError(could_not(file_, "look at the file"));
  return static_cast<std::uint64_t>(status.st_size);
}

void JournaledFile::sync() const {
  if (::fdatasync(descriptor_) != 0) throw RecordError(could_not(file_, "write to disk"));
}

bool JournaledFile::read(std::uint64_t at, std::span<std::byte> out) {
  const ssize_t have = read_at(descriptor_, at, out);
  if (have < 0) return false;
  std::fill(out.begin() + have, out.end(), std::byte{0});
  // Pages that wait are newer than the file.
  const std::uint64_t end = at + out.size();
  for (auto p = pages_.lower_bound(at / page_bytes * page_bytes); p != pages_.end() && p->first < end; ++p) {
    const std::uint64_t from = std::max(at, p->first), to = std::min(end, p->first + page_bytes);
    std::memcpy(out.data() + (from - at), p->second.data() + (from - p->first), to - from);
  }
  return true;
}

void JournaledFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
  length_ = std::max(length_, at + bytes.size());
  const std::uint64_t wait = at < committed_ ? std::min<std::uint64_t>(committed_ - at, bytes.size()) : 0;
  if (wait < bytes.size() && !write_at(descriptor_, at + wait, bytes.subspan(wait))) fail(could_not(file_, "write to disk"));
  try {
    keep(at, failure_.empty() ? bytes.first(wait) : bytes);
  } catch (const std::bad_alloc&) {
    fail(file_.string() + ": not enough memory for what waits to be written");
  }
}

void JournaledFile::keep(std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t offset = at / page_bytes * page_bytes, inside = at - offset;
    const auto part = bytes.first(std::min<std::size_t>(bytes.size(), page_bytes - inside));
    auto page = pages_.find(offset);
    // HDF5 writes whole chunks again: pages that stay the same are left out.
    Page now{};
    if (page == pages_.end() && read_at(descriptor_, offset, now) < 0) fail(could_not(file_, "read the file"));
    if (page != pages_.end() || std::memcmp(now.data() + inside, part.data(), part.size()) != 0) {
      if (page == pages_.end()) page = pages_.emplace(offset, now).first;
      std::memcpy(page->second.data() + inside, part.data(), part.size());
    }
    at += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void JournaledFile::fail(const std::string& sentence) {
  if (failure_.empty()) failure_ = sentence;
  committed_ = everything;  // a journal may count on the file as it is now
}

void JournaledFile::check() const {
  if (!failure_.empty()) throw RecordError(failure_);
}

void JournaledFile::commit(std::uint64_t size) {
  check();
  try {
    require_still_there(file_, identity_);
    if (length_on_disk() < size && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
      throw RecordError(could_not(file_, "write to disk"));
    sync();
    if (const std::uint64_t length = length_on_disk(); !pages_.empty() || length != size) {
      write_whole(journal_, journal_of(length, size));
      carry_out(size);
    }
    require_still_there(file_, identity_);
  } catch (const RecordError& error) {
    fail(error.what());
    throw;
  }
  length_ = size;
  committed_ = (size + page_bytes - 1) / page_bytes * page_bytes;
}

std::vector<std::byte> JournaledFile::journal_of(std::uint64_t length, std::uint64_t size) const {
  JournalHead head{{}, length, size, pages_.size()};
  std::memcpy(head.magic, journal_magic, sizeof head.magic);
  std::vector<std::byte> out;
  out.reserve(sizeof head + pages_.size() * (sizeof(std::uint64_t) + page_bytes) + sizeof(std::uint64_t));
  add_bytes(out, head);
  for (const auto& [offset, page] : pages_) add_bytes(out, offset), add_bytes(out, page);
  add_bytes(out, hash_bytes(out));
  return out;
}

// Into pages_. False: there is none, it is torn, or it belongs to a file of another length.
bool JournaledFile::load_journal(std::uint64_t& size) {
  constexpr std::uint64_t per_page = sizeof(std::uint64_t) + page_bytes,
                          around = sizeof(JournalHead) + sizeof(std::uint64_t);
  std::error_code error;
  const std::uint64_t there = std::filesystem::file_size(journal_, error);
  if (error || there < around || there > around + (length_ / page_bytes + 1) * per_page) return false;
  const std::vector<std::byte> bytes = read_whole(journal_, "open the journal");
  // Nothing is believed before length and hash are right.
  if (bytes.size() != there) return false;
  const std::span<const std::byte> hashed(bytes.data(), bytes.size() - sizeof(std::uint64_t));
  const std::byte* at = bytes.data();
  const std::byte* hash = hashed.data() + hashed.size();
  const auto head = bytes_as<JournalHead>(at);
  if (std::memcmp(head.magic, journal_magic, sizeof head.magic) != 0 || head.pages != (there - around) / per_page ||
      (there - around) % per_page != 0 || bytes_as<std::uint64_t>(hash) != hash_bytes(hashed) ||
      (length_ != head.length && length_ != head.size) || head.size > head.length)
    return false;
  size = head.size;
  for (std::uint64_t i = 0; i < head.pages; ++i) {
    const auto offset = bytes_as<std::uint64_t>(at);
    pages_[offset / page_bytes * page_bytes] = bytes_as<Page>(at);
  }
  return true;
}

// The journal is on disk: whatever happens from here on, it can be carried out again. The file's length changes last, and only once.
void JournaledFile::carry_out(std::uint64_t size) {
  for (const auto& [offset, page] : pages_) {
    if (offset >= size) continue;
    const auto part = std::span(page).first(std::min<std::uint64_t>(page_bytes, size - offset));
    if (!write_at(descriptor_, offset, part)) throw RecordError(could_not(file_, "write to disk"));
  }
  if (length_on_disk() != size && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    throw RecordError(could_not(file_, "cut the file to length"));
  sync();
  if (::unlink(journal_.c_str()) != 0) throw RecordError(could_not(journal_, "remove the journal"));
  pages_.clear();
}

}  // namespace tendril
