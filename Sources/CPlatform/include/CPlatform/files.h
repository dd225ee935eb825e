#pragma once
#include <stdint.h>
#include <sys/types.h>

/// Sets the group of a file that was opened with O_PATH; 0, or -1 with errno.
int platform_change_group(int descriptor, gid_t group);

/// Opens a file with O_PATH: this never blocks, and has no effect on the file. -1 with errno.
int platform_open_path(int directory, const char *name, int flags);

/// Renames a file in its directory unless the new name exists; 0, or -1 with errno.
int platform_rename_to_free_name(int directory, const char *from, const char *to);

/// Creates a pipe whose ends are close-on-exec; returns 0, or -1 with errno.
int platform_pipe(int ends[2]);

/// Where the files of a file system are.
enum platform_storage {
  PLATFORM_LOCAL,
  /// They are gone after the system was started again.
  PLATFORM_IN_MEMORY,
  /// Another machine may change them.
  PLATFORM_REMOTE
};

/// Identifies the file system of a path, and says where its files are; 0, or -1 with errno.
int platform_file_system(const char *path, uint64_t *identity, enum platform_storage *storage);
