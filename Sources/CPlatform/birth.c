#include "CPlatform/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "CPlatform/signals.h"
#include "bare.h"

// The start of a child. `posix_spawn` lacks four things: the death of the child with its parent (PR_SET_PDEATHSIG), a pidfd, the step that
// failed, and a start without allocating a stack by mmap.
//
// The child shares our memory until it executes its program, and we are suspended meanwhile (CLONE_VM, CLONE_VFORK). So it makes only
// system calls, by number: functions of the C library may take locks, and a sanitizer's may access memory that isn't the child's. All
// signals are blocked: otherwise one of our handlers could run in the child, in our memory.

struct platform_birth {
  const struct platform_child *child;
  pid_t parent;
  /// The signals whose disposition may not be the default one.
  uint64_t signals;
  volatile int step;
  volatile int error;
};

/// The entry point of the child.
BARE static int platform_born(void *argument) {
  struct platform_birth *birth = (struct platform_birth *)argument;
  const struct platform_child *child = birth->child;
  // An all-zero sigaction of the kernel is the default, on each architecture. The C library's function would skip its own two signals.
  unsigned long nothing[8] = {0};
  for (long number = 1; number <= 64; number++) {
    if (birth->signals >> (number - 1) & 1) syscall(SYS_rt_sigaction, number, nothing, NULL, 8L);
  }

  birth->step = platform_step_parent;
  if (child->death_signal != 0) {
    if (syscall(SYS_prctl, (long)PR_SET_PDEATHSIG, (long)child->death_signal, 0L, 0L, 0L) != 0) goto failed;
    // The parent may have died before the call above; then the child would never be killed.
    if (syscall(SYS_getppid) != birth->parent) syscall(SYS_exit_group, 127L);
  }
  birth->step = platform_step_group;
  if (!child->keeps_session) {
    if (syscall(SYS_setsid) < 0) goto failed;
  } else {
    if (syscall(SYS_setpgid, 0L, 0L) < 0) goto failed;
    // All signals are blocked, so the terminal doesn't stop the child.
    pid_t group = (pid_t)syscall(SYS_getpid);
    if (child->takes_terminal) syscall(SYS_ioctl, 0L, 0x5410L /* TIOCSPGRP */, &group);
  }
  // Written by the child, so that its group is known even if we are killed while it starts.
  if (child->guarded != NULL) *child->guarded = (child->keeps_session ? -1 : 1) * (int)syscall(SYS_getpid);
  birth->step = platform_step_streams;
  for (long number = 0; number < 3; number++) {
    if (child->streams[number] >= 0 && syscall(SYS_dup3, (long)child->streams[number], number, 0L) < 0) goto failed;
  }
  if (syscall(436L /* close_range */, 3L, ~0UL, 0L) < 0) {
    struct rlimit limit = {0, 0};
    syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit);
    unsigned long end = limit.rlim_cur < 1048576 ? (unsigned long)limit.rlim_cur : 1048576;
    for (unsigned long number = 3; number < end; number++) syscall(SYS_close, number);
  }
  if (child->descriptors != 0) {
    struct rlimit limit = {0, 0};
    if (syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit) == 0) {
      limit.rlim_cur = child->descriptors;
      syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, &limit, NULL);
    }
  }
  birth->step = platform_step_directory;
  if (child->directory != NULL && syscall(SYS_chdir, child->directory) < 0) goto failed;

  birth->step = platform_step_execute;
  syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, nothing, NULL, 8L);
  syscall(SYS_execve, child->file, child->arguments, child->environment);
failed:
  birth->error = errno;
  syscall(SYS_exit_group, 127L);
  return 127;
}

BARE pid_t platform_spawn(
    const struct platform_child *child, int *pidfd, int *step) {
  // The child's stack, while we are suspended.
  _Alignas(16) char stack[32 * 1024];
  unsigned long all[1] = {~0UL}, before[1] = {0};
  struct platform_birth birth = {child, getpid(), platform_changed_signals(), platform_step_birth, 0};
  if (syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, all, before, 8L) != 0) return -1;
  int flags = 0x100 /* CLONE_VM */ | 0x4000 /* CLONE_VFORK */ | 0x1000 /* CLONE_PIDFD */ | SIGCHLD;
  pid_t pid = __clone(platform_born, stack + sizeof stack, flags, &birth, pidfd);
  int error = pid < 0 ? errno : birth.error;
  syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, before, NULL, 8L);
  *step = birth.step;
  if (error == 0) return pid;
  if (pid >= 0) {
    // It has exited; it is reaped here, so that other code doesn't see it.
    while (syscall(SYS_wait4, (long)pid, NULL, 0L, NULL) < 0 && errno == EINTR) {}
    close(*pidfd);
  }
  errno = error;
  return -1;
}
