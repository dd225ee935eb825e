#pragma once
#include <sys/types.h>

/// The steps between a child's birth and its program.
enum platform_step {
  platform_step_birth = 1,
  platform_step_parent,
  platform_step_group,
  platform_step_streams,
  platform_step_directory,
  platform_step_execute,
};

/// What a child is started with.
struct platform_child {
  const char *file;
  char *const *arguments;
  char *const *environment;
  /// Its working directory; NULL is ours.
  const char *directory;
  /// What its descriptors 0 to 2 lead to, each above 2; -1 is where ours leads.
  int streams[3];
  /// The signal that it gets when the thread that started it ends; 0 for none.
  int death_signal;
  /// 0: it leads a session of its own. 1: it leads a group of its own in our session.
  int keeps_session;
  /// Whether its group becomes the foreground of the terminal at descriptor 0.
  int takes_terminal;
  /// Its soft limit of descriptors; 0 for ours.
  unsigned long descriptors;
  /// Where the guard looks for its group (guard.h), negative where it is to have time to end; NULL if nobody guards.
  int *guarded;
};

/// Starts a child: default dispositions, an empty mask, descriptors 0 to 2 alone.
///
/// Its process id, with a pidfd of it, close-on-exec; or -1, with the step that failed and errno: no process is left then.
pid_t platform_spawn(const struct platform_child *child, int *pidfd, int *step);
