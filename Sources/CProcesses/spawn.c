#define _GNU_SOURCE
#include "CProcesses/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
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
/// The child's stack, in bytes.
#define STACK_BYTES (32 * 1024)
/// A flag of clone3: the kernel gives the signals with a handler their default disposition, but not the ignored ones. Since Linux 5.5.
#define CLEAR_HANDLERS 0x100000000ULL

struct process_spawning {
  const struct process_child *child;
  pid_t parent;
  /// The signals to which the child gives their default disposition.
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

/// The arguments of clone3, as the kernel defined them first.
struct clone3_arguments {
  uint64_t flags, pidfd, child_number, parent_number, exit_signal, stack, stack_size, thread_storage;
};

/// Calls clone3; the child calls `start`, which doesn't return, on its own stack. The C library has no function for it.
///
/// Returns the pid, or a negative error number.
BARE static long process_clone3(struct clone3_arguments *arguments, int (*start)(void *), void *argument) {
#if defined __x86_64__
  long result = SYS_clone3;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[argument], %%rdi\n\t"
      "mov %[start], %%rax\n\t"
      "xor %%ebp, %%ebp\n\t"
      "call *%%rax\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(arguments), "S"(sizeof *arguments), [start] "r"(start), [argument] "r"(argument)
      : "rcx", "r11", "memory");
  return result;
#elif defined __aarch64__
  register long x0 __asm__("x0") = (long)arguments;
  register long x1 __asm__("x1") = sizeof *arguments;
  register long x8 __asm__("x8") = SYS_clone3;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x1, %[start]\n\t"
      "mov x0, %[argument]\n\t"
      "mov x29, xzr\n\t"
      "blr x1\n\t"
      "brk #1\n"
      "1:"
      : "+r"(x0)
      : "r"(x1), "r"(x8), [start] "r"(start), [argument] "r"(argument)
      : "memory");
  return x0;
#else
  (void)arguments, (void)start, (void)argument;
  return -ENOSYS;
#endif
}

/// Starts the child, with as few calls for its signals as the kernel allows. Returns the pid, or -1 with errno.
BARE static pid_t process_clone(struct process_spawning *spawning, char *stack, int *pidfd) {
  static atomic_bool lacks_clone3;
  const uint64_t flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD;
  if (!atomic_load(&lacks_clone3)) {
    struct clone3_arguments arguments = {
        .flags = flags | CLEAR_HANDLERS,
        .pidfd = (uintptr_t)pidfd,
        .exit_signal = SIGCHLD,
        .stack = (uintptr_t)stack,
        .stack_size = STACK_BYTES,
    };
    spawning->signals = platform_ignored_signals();
    long pid = process_clone3(&arguments, process_start_child, spawning);
    if (pid > 0) return (pid_t)pid;
    // Old kernels don't know the call or the flag, and filters of system calls may forbid it. (With an error other than ENOSYS, the C library
    // can't create threads either.)
    if (pid != -ENOSYS && pid != -EINVAL && pid != -EPERM) {
      errno = (int)-pid;
      return -1;
    }
    atomic_store(&lacks_clone3, 1);
  }
  spawning->signals = platform_changed_signals();
  return __clone(process_start_child, stack + STACK_BYTES, (int)flags | SIGCHLD, spawning, pidfd);
}

BARE pid_t process_spawn(
    const struct process_child *child, int *pidfd, int *step) {
  // The child's stack, while we are suspended.
  _Alignas(16) char stack[STACK_BYTES];
  uint64_t all = UINT64_MAX, before = 0;
  struct process_spawning spawning = {child, getpid(), 0, process_step_clone, 0};
  if (syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &before, SIGNAL_SET_BYTES) != 0) return -1;
  // A change of the user makes the memory undumpable, so no process can attach to the child while it shares our memory. But it is ours.
  int dumpable = child->user != NULL ? prctl(PR_GET_DUMPABLE) : 0;
  pid_t pid = process_clone(&spawning, stack, pidfd);
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
