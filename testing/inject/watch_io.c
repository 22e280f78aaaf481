// Loaded before the C library (LD_PRELOAD): writes down, in the file WATCH_IO, what is written, synced, renamed and looked at, in its order.
// Compiled by the test that uses it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t (*real_write)(int, const void*, size_t);

static void note(const char* what, const char* path) {
  const char* log = getenv("WATCH_IO");
  if (!log) return;
  if (!real_write) *(void**)&real_write = dlsym(RTLD_NEXT, "write");
  char line[5000];
  const int size = snprintf(line, sizeof line, "%s %s\n", what, path);
  const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (real_write(fd, line, (size_t)size) != size) abort();
  close(fd);
}
static void note_fd(const char* what, int fd) {
  char link[64], path[4097];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0 || path[0] != '/') return;  // pipes and sockets
  path[size] = 0;
  note(what, path);
}

#define TAKE(result, name, arguments, pass, noting)      \
  result name arguments {                                \
    static result(*real) arguments = 0;                  \
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name); \
    noting;                                              \
    return real pass;                                    \
  }
TAKE(ssize_t, write, (int fd, const void* data, size_t size), (fd, data, size), note_fd("write", fd))
TAKE(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t at), (fd, data, size, at), note_fd("write", fd))
TAKE(ssize_t, pwrite64, (int fd, const void* data, size_t size, off64_t at), (fd, data, size, at), note_fd("write", fd))
TAKE(ssize_t, writev, (int fd, const struct iovec* data, int count), (fd, data, count), note_fd("write", fd))
TAKE(int, fsync, (int fd), (fd), note_fd("sync", fd))
TAKE(int, fdatasync, (int fd), (fd), note_fd("sync", fd))
TAKE(int, rename, (const char* from, const char* to), (from, to), note("rename", to))
TAKE(int, stat, (const char* path, struct stat* status), (path, status), note("stat", path))
TAKE(int, lstat, (const char* path, struct stat* status), (path, status), note("stat", path))
TAKE(int, fstatat, (int at, const char* path, struct stat* status, int flags), (at, path, status, flags), note("stat", path))
