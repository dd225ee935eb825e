#define _GNU_SOURCE
#include "CPlatform/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
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

// These aren't in linux/magic.h.
#define LUSTRE_MAGIC 0x0bd00bd0
#define VBOXSF_MAGIC 0x786f4256

static enum platform_storage storage(unsigned magic) {
  switch (magic) {
    case TMPFS_MAGIC: case RAMFS_MAGIC: return PLATFORM_IN_MEMORY;
    case NFS_SUPER_MAGIC: case SMB_SUPER_MAGIC: case CIFS_SUPER_MAGIC: case SMB2_SUPER_MAGIC: case V9FS_MAGIC:
    case AFS_SUPER_MAGIC: case CEPH_SUPER_MAGIC: case LUSTRE_MAGIC: case VBOXSF_MAGIC:
      return PLATFORM_REMOTE;
    default: return PLATFORM_LOCAL;
  }
}

int platform_file_system(const char *path, uint64_t *identity, enum platform_storage *where) {
  struct statfs system;
  if (statfs(path, &system) != 0) return -1;
  memcpy(identity, &system.f_fsid, sizeof *identity);
  *where = storage((unsigned)system.f_type);
  return 0;
}

int platform_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
