#include "CPlatform/files.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int platform_change_group(int descriptor, gid_t group) {
  return (int)syscall(SYS_fchownat, descriptor, "", (uid_t)-1, group, 0x1000 /* AT_EMPTY_PATH */);
}

int platform_open_path(int directory, const char *name, int flags) {
  return openat(directory, name, 0x200000 /* O_PATH */ | O_CLOEXEC | flags);
}

int platform_rename_to_free_name(int directory, const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, directory, from, directory, to, 1 /* RENAME_NOREPLACE */);
}

int platform_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
