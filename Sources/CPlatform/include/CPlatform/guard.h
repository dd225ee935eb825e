#pragma once
#include <stddef.h>
#include <sys/types.h>

/// What the guard is given.
struct platform_guard {
  /// The groups of our children, 0 for none. One that is negative was told to end, and has `grace_milliseconds` for it.
  volatile int *groups;
  int count;
  int grace_milliseconds;
  /// The directories that are to go with us: absolute paths, each in so many bytes; an empty one is none.
  const char *directories;
  int directory_count;
  int directory_bytes;
  /// The end to read from of a pipe whose other end nobody has but us.
  int pipe;
  /// A lock of ours that isn't to be had before what must be killed is; -1 for none.
  int lock;
  /// Where our arguments stand, to be overwritten in the copy: who looks for us by name shall not find it. NULL if that isn't known.
  char *arguments;
  size_t arguments_size;
};

/// Starts the guard, with all signals blocked for ever.
///
/// Its process id, or -1 with errno.
pid_t platform_start_guard(const struct platform_guard *guard);
