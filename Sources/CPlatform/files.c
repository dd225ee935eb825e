#define _GNU_SOURCE
#include "CPlatform/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int platform_change_group(int descriptor, gid_t group) {
  return fchownat(descriptor, "", (uid_t)-1, group, AT_EMPTY_PATH);
}

int platform_open_path(int directory, const char *name, int flags) {
  return openat(directory, name, O_PATH | O_CLOEXEC | flags);
}

int platform_rename_to_free_name(int directory, const char *from, const char *to) {
  return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int platform_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
