// Keeps the start of a static program out of /proc: it works without one, and is 5 % shorter.
//
// The linker's option --wrap (see the Makefile) redirects calls of the Swift runtime to these functions.

#include <errno.h>
#include <stdio.h>
#include <string.h>

// The same function as fopen on 64-bit Linux. It isn't redirected.
extern FILE *fopen64(const char *path, const char *mode);

// The runtime looks in the list of its memory for the place of the arguments, which start.c sets.
FILE *__wrap_fopen(const char *path, const char *mode) {
  if (strcmp(path, "/proc/self/maps") != 0) return fopen64(path, mode);
  errno = ENOENT;
  return NULL;
}

// The runtime looks beside its own path, which it must know or abort, for a program that prints a backtrace after a crash. SWIFT_BACKTRACE
// may give the path of one.
char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
  (void)name;
  return NULL;
}
