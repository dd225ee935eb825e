#pragma once
#include <stddef.h>
#include <sys/types.h>

/// The parameters of the guard.
struct process_guard {
  /// The groups of our children, 0 for none. A negative one gets SIGTERM when we die, and is killed after `grace_milliseconds`.
  volatile int *groups;
  int count;
  int grace_milliseconds;
  /// The directories to be removed with us: absolute paths, `directory_bytes` bytes each; an empty one is unused.
  const char *directories;
  int directory_count;
  int directory_bytes;
  /// The reading end of a pipe whose writing end only we have.
  int pipe;
  /// A lock to hold until the groups without a grace period have been killed; -1 for none.
  int lock;
  /// The memory of our arguments. The guard overwrites its copy, so a search for our name doesn't find the guard. NULL if it is unknown.
  char *arguments;
  size_t arguments_size;
};

/// Starts the guard, with all signals blocked. The guard sends no signal when it ends, and only a wait with __WALL sees the guard.
///
/// Returns the process id of the guard, with a close-on-exec pidfd, or -1 with errno.
pid_t process_start_guard(const struct process_guard *guard, int *pidfd);

/// Returns zeroed memory that is shared with copies of this process; NULL with errno.
void *process_shared_memory(size_t size);

/// Frees shared memory.
void process_free_shared_memory(void *memory, size_t size);

/// Returns the first of our arguments, in the memory where the kernel has stored them.
char *process_arguments(void);
