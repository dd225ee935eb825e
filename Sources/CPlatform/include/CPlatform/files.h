#pragma once
#include <sys/types.h>

/// Sets the group of a file that was opened with O_PATH; 0, or -1 with errno.
int platform_change_group(int descriptor, gid_t group);

/// Opens a file with O_PATH: this never blocks, and has no effect on the file. -1 with errno.
int platform_open_path(int directory, const char *name, int flags);

/// Renames a file in its directory unless the new name exists; 0, or -1 with errno.
int platform_rename_to_free_name(int directory, const char *from, const char *to);

/// Creates a pipe whose ends are close-on-exec; returns 0, or -1 with errno.
int platform_pipe(int ends[2]);
