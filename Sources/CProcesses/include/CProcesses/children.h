#pragma once
#include <sys/types.h>

/// The exit of a child, and its resource usage; `code` is 0 while it runs, otherwise CLD_EXITED, CLD_KILLED or CLD_DUMPED.
struct process_exit {
  int code;
  int status;
  long long user_microseconds;
  long long system_microseconds;
  long max_resident_kilobytes;
};

/// Calls waitid(P_PIDFD) directly, because glibc's function doesn't return the resource usage; also for the guard. 0, or -1 with errno.
int process_wait(int pidfd, int options, struct process_exit *result);

/// Sends a signal to the process behind a pidfd; 0, or -1 with errno.
int process_pidfd_send_signal(int pidfd, int signal);

/// Returns a child that has ended and hasn't been reaped, or 0; this call doesn't reap it, and doesn't see the guard.
pid_t process_peek_ended_child(void);

/// Returns whether there is a child other than the guard, running or not reaped yet.
int process_has_child(void);

/// Returns whether a running child of ours is in this group. A leader that has ended and hasn't been reaped doesn't count.
int process_has_live_child(pid_t group);

/// Adopts orphaned descendants; 0, or -1 with errno.
int process_adopt_orphans(void);
