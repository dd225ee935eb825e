#pragma once
#include <sys/types.h>

/// The steps of starting a child.
enum process_step {
  process_step_clone = 1,
  process_step_parent,
  process_step_group,
  process_step_streams,
  process_step_directory,
  process_step_execute,
  process_step_limits,
  process_step_priority,
  process_step_user,
};

/// A resource limit, soft and hard.
struct process_limit {
  int resource;
  unsigned long long value;
};

/// The user that a child becomes before it executes its program.
struct process_user {
  unsigned id;
  unsigned group;
  /// The supplementary groups of the child.
  const unsigned *groups;
  unsigned long group_count;
};

/// The parameters of a child's start.
struct process_child {
  const char *file;
  char *const *arguments;
  char *const *environment;
  /// A value in the environment, of 10 bytes and a NUL, where the child stores its pid; NULL for none.
  char *own_pid;
  /// The working directory of the child; NULL is ours.
  const char *directory;
  /// The sources of the child's descriptors 0 to 2, each above 2; -1 for the same as ours.
  int streams[3];
  /// The signal that the child gets when the thread that started it ends; 0 for none.
  int death_signal;
  /// 0: the child leads a new session. 1: the child leads a new group in our session.
  int keeps_session;
  /// Whether the child's group becomes the foreground of the terminal at descriptor 0.
  int takes_terminal;
  /// The soft limit of descriptors; 0 for ours.
  unsigned long descriptors;
  /// The resource limits of the child.
  const struct process_limit *limits;
  unsigned long limit_count;
  /// The niceness of the child; NULL is ours.
  const int *nice;
  /// The user of the child; NULL is ours.
  const struct process_user *user;
  /// The place where the child stores its group for the guard (guard.h), negative if it has a grace period; NULL without a guard.
  int *guarded;
};

/// Starts a child with default dispositions, an empty mask, and only descriptors 0 to 2.
///
/// Returns the child's process id, with a close-on-exec pidfd; or -1, with the step that failed and errno: then no process is left.
pid_t process_spawn(const struct process_child *child, int *pidfd, int *step);
