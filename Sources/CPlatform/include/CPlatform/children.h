#pragma once
#include <sys/types.h>

/// How a child ended and what it used; `code` is 0 while it hasn't, else CLD_EXITED, CLD_KILLED or CLD_DUMPED.
struct platform_exit {
  int code;
  int status;
  long long user_microseconds;
  long long system_microseconds;
  long max_resident_kilobytes;
};

/// waitid(P_PIDFD), the raw call: glibc's own doesn't hand on the resource usage. 0, or -1 with errno.
int platform_wait(int pidfd, int options, struct platform_exit *result);

/// Sends a signal to the process behind a pidfd; 0, or -1 with errno.
int platform_pidfd_send_signal(int pidfd, int signal);

/// A child that has ended and hasn't been reaped, or 0; it stays so.
pid_t platform_peek_ended_child(void);

/// Whether a child of ours that hasn't ended is in that group. A leader that has ended and hasn't been reaped doesn't count.
int platform_has_live_child(pid_t group);

/// Orphans below us become our children; 0, or -1 with errno.
int platform_adopt_orphans(void);
