#define _GNU_SOURCE
#include "CProcesses/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "CPlatform/signals.h"
#include "CPlatform/bare.h"

// The start of a child. `posix_spawn` lacks four features: the death of the child with its parent (PR_SET_PDEATHSIG), a pidfd, the step
// that failed, and a start without allocating a stack by mmap.
//
// The child shares our memory until it executes its program, and we are suspended in the meantime (CLONE_VM, CLONE_VFORK). So it makes only
// system calls, by number: functions of the C library may take locks, and a sanitizer's functions may access memory that isn't the child's.
// All signals are blocked: otherwise one of our handlers could run in the child, in our memory.

/// The number of descriptors that are closed one by one, on systems without close_range.
#define MOST_CLOSED 1048576

struct process_spawning {
  const struct process_child *child;
  pid_t parent;
  /// The signals whose disposition may not be the default one.
  uint64_t signals;
  volatile int step;
  volatile int error;
};

/// Writes a pid in decimal digits, and a NUL.
BARE static void write_pid(char *place, pid_t pid) {
  int count = 1;
  for (pid_t rest = pid; rest >= 10; rest /= 10) count++;
  place[count] = 0;
  for (; count > 0; pid /= 10) place[--count] = (char)('0' + pid % 10);
}

/// The entry point of the child.
BARE static int process_start_child(void *argument) {
  struct process_spawning *spawning = (struct process_spawning *)argument;
  const struct process_child *child = spawning->child;
  // The C library's function would skip its own two signals.
  struct kernel_action standard = {0};
  uint64_t none = 0;
  for (long number = 1; number <= GREATEST_SIGNAL; number++) {
    if (spawning->signals >> (number - 1) & 1) syscall(SYS_rt_sigaction, number, &standard, NULL, SIGNAL_SET_BYTES);
  }

  spawning->step = process_step_parent;
  if (child->death_signal != 0) {
    if (syscall(SYS_prctl, (long)PR_SET_PDEATHSIG, (long)child->death_signal, 0L, 0L, 0L) != 0) goto failed;
    // The parent may have died before the call above; then the child would never be killed.
    if (syscall(SYS_getppid) != spawning->parent) syscall(SYS_exit_group, 127L);
  }
  spawning->step = process_step_group;
  if (!child->keeps_session) {
    if (syscall(SYS_setsid) < 0) goto failed;
  } else {
    if (syscall(SYS_setpgid, 0L, 0L) < 0) goto failed;
    // All signals are blocked, so the terminal doesn't stop the child.
    pid_t group = (pid_t)syscall(SYS_getpid);
    if (child->takes_terminal) syscall(SYS_ioctl, 0L, (long)TIOCSPGRP, &group);
  }
  // The child writes its group, so the group is known even if we are killed while the child starts.
  if (child->guarded != NULL) *child->guarded = (child->keeps_session ? -1 : 1) * (int)syscall(SYS_getpid);
  if (child->own_pid != NULL) write_pid(child->own_pid, (pid_t)syscall(SYS_getpid));
  spawning->step = process_step_streams;
  for (long number = 0; number < 3; number++) {
    if (child->streams[number] >= 0 && syscall(SYS_dup3, (long)child->streams[number], number, 0L) < 0) goto failed;
  }
  if (syscall(SYS_close_range, 3L, ~0UL, 0L) < 0) {
    struct rlimit limit = {0, 0};
    syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit);
    unsigned long end = limit.rlim_cur < MOST_CLOSED ? (unsigned long)limit.rlim_cur : MOST_CLOSED;
    for (unsigned long number = 3; number < end; number++) syscall(SYS_close, number);
  }
  if (child->descriptors != 0) {
    struct rlimit limit = {0, 0};
    if (syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit) == 0) {
      limit.rlim_cur = child->descriptors;
      syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, &limit, NULL);
    }
  }
  spawning->step = process_step_limits;
  for (unsigned long number = 0; number < child->limit_count; number++) {
    struct rlimit limit = {child->limits[number].value, child->limits[number].value};
    if (syscall(SYS_prlimit64, 0L, (long)child->limits[number].resource, &limit, NULL) != 0) goto failed;
  }
  spawning->step = process_step_priority;
  if (child->nice != NULL && syscall(SYS_setpriority, (long)PRIO_PROCESS, 0L, (long)*child->nice) != 0) goto failed;
  spawning->step = process_step_user;
  // The groups first: only root may set them. Afterwards no way leads back, because all three ids of each kind are set.
  if (child->user != NULL) {
    long user = child->user->id, group = child->user->group;
    if (syscall(SYS_setgroups, child->user->group_count, child->user->groups) != 0) goto failed;
    if (syscall(SYS_setresgid, group, group, group) != 0) goto failed;
    if (syscall(SYS_setresuid, user, user, user) != 0) goto failed;
    // The change of the user has cleared it.
    if (child->death_signal != 0) {
      if (syscall(SYS_prctl, (long)PR_SET_PDEATHSIG, (long)child->death_signal, 0L, 0L, 0L) != 0) goto failed;
      if (syscall(SYS_getppid) != spawning->parent) syscall(SYS_exit_group, 127L);
    }
  }
  spawning->step = process_step_directory;
  if (child->directory != NULL && syscall(SYS_chdir, child->directory) < 0) goto failed;

  spawning->step = process_step_execute;
  syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &none, NULL, SIGNAL_SET_BYTES);
  syscall(SYS_execve, child->file, child->arguments, child->environment);
failed:
  spawning->error = errno;
  syscall(SYS_exit_group, 127L);
  return 127;
}

BARE pid_t process_spawn(
    const struct process_child *child, int *pidfd, int *step) {
  // The child's stack, while we are suspended.
  _Alignas(16) char stack[32 * 1024];
  uint64_t all = UINT64_MAX, before = 0;
  struct process_spawning spawning = {child, getpid(), platform_changed_signals(), process_step_clone, 0};
  if (syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &before, SIGNAL_SET_BYTES) != 0) return -1;
  // A change of the user makes the memory undumpable, so no process can attach to the child while it shares our memory. But it is ours.
  int dumpable = child->user != NULL ? prctl(PR_GET_DUMPABLE) : 0;
  int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
  pid_t pid = __clone(process_start_child, stack + sizeof stack, flags, &spawning, pidfd);
  int error = pid < 0 ? errno : spawning.error;
  if (dumpable == 1) prctl(PR_SET_DUMPABLE, 1L);
  syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &before, NULL, SIGNAL_SET_BYTES);
  *step = spawning.step;
  if (error == 0) return pid;
  if (pid >= 0) {
    // The child has exited. It is reaped here, so other code doesn't see it.
    while (syscall(SYS_wait4, (long)pid, NULL, 0L, NULL) < 0 && errno == EINTR) {}
    close(*pidfd);
  }
  errno = error;
  return -1;
}
