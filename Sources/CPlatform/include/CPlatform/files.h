#pragma once
#include <sys/types.h>

/// The file behind a descriptor that was opened as a path alone gets a group; 0, or -1 with errno.
int platform_change_group(int descriptor, gid_t group);

/// Opens a file as what it is, and not its content: nothing waits, and nothing happens to it. -1 with errno.
int platform_open_path(int directory, const char *name, int flags);

/// Renames a file in its directory unless something has the new name; 0, or -1 with errno.
int platform_rename_to_free_name(int directory, const char *from, const char *to);

/// A pipe whose ends are close-on-exec; 0, or -1 with errno.
int platform_pipe(int ends[2]);
