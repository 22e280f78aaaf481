// Loaded before the C library (LD_PRELOAD): lets the FAIL_AT-th write, sync, rename or cut of a regular file fail with FAIL_ERRNO, once or,
// with FAIL_ON=1, from then on; with FAIL_KILL=1 the process is killed instead. FAIL_MARK is made when it has happened. Compiled by the test that uses it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int number(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text ? atoi(text) : otherwise;
}
static int fails(void) {
  static int calls = 0;
  const int at = number("FAIL_AT", 0);
  ++calls;
  if (at <= 0 || calls < at || (calls > at && !number("FAIL_ON", 0))) return 0;
  const char* mark = getenv("FAIL_MARK");
  if (mark) close(creat(mark, 0600));
  if (number("FAIL_KILL", 0)) kill(getpid(), SIGKILL);
  errno = number("FAIL_ERRNO", EIO);
  return 1;
}
static int counts(int fd) {  // files of the run, not the terminal or a pipe
  struct stat status;
  return fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) && fd > 2;
}

#define TAKE(result, name, arguments, pass, applies)                                   \
  result name arguments {                                                              \
    static result(*real) arguments = 0;                                                \
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name);                               \
    if (applies && fails()) return (result)-1;                                         \
    return real pass;                                                                  \
  }
TAKE(ssize_t, write, (int fd, const void* data, size_t size), (fd, data, size), counts(fd))
TAKE(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t at), (fd, data, size, at), counts(fd))
TAKE(ssize_t, pwrite64, (int fd, const void* data, size_t size, off64_t at), (fd, data, size, at), counts(fd))
TAKE(int, fsync, (int fd), (fd), counts(fd))
TAKE(int, fdatasync, (int fd), (fd), counts(fd))
TAKE(int, ftruncate, (int fd, off_t size), (fd, size), counts(fd))
TAKE(int, ftruncate64, (int fd, off64_t size), (fd, size), counts(fd))
TAKE(int, rename, (const char* from, const char* to), (from, to), 1)
