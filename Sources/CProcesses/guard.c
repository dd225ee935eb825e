#define _GNU_SOURCE
#include "CProcesses/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "CPlatform/bare.h"

// The guard. If we are killed, the kernel kills our children (PR_SET_PDEATHSIG), but not our grandchildren. The guard waits on a pipe that
// closes with us, and then kills the process groups and removes the directories that are listed in the memory it shares with us.
//
// The guard is a copy of us that never returns and never executes a program. Other threads may have held locks when it was copied, so it
// makes only system calls, by number.

/// The maximum depth of directories.
#define GREATEST_DEPTH 16
/// The number of descriptors that are closed one by one, on systems without close_range.
#define MOST_CLOSED 65536

/// Removes a directory with its contents. Links are removed, not followed.
BARE static void process_remove_directory(
    long parent, const char *name, int depth) {
  long directory = syscall(SYS_openat, parent, name, (long)(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0L);
  if (directory < 0) return;
  // The C library's struct dirent64 has the layout that the kernel writes.
  _Alignas(struct dirent64) char entries[2048];
  long size;
  while ((size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0) {
    for (long at = 0; at < size; at += ((struct dirent64 *)(entries + at))->d_reclen) {
      const char *entry = ((struct dirent64 *)(entries + at))->d_name;
      if (entry[0] == '.' && (entry[1] == 0 || (entry[1] == '.' && entry[2] == 0))) continue;
      if (syscall(SYS_unlinkat, directory, entry, 0L) != 0 && depth < GREATEST_DEPTH) {
        process_remove_directory(directory, entry, depth + 1);
      }
    }
  }
  syscall(SYS_close, directory);
  syscall(SYS_unlinkat, parent, name, (long)AT_REMOVEDIR);
}

BARE __attribute__((noreturn)) static void process_stand_guard(
    const struct process_guard *guard) {
  static const char name[] = "init-guard";
  syscall(SYS_setsid);
  syscall(SYS_prctl, (long)PR_SET_NAME, name, 0L, 0L, 0L);
  if (guard->arguments_size >= sizeof name) {
    volatile char *place = guard->arguments;
    for (size_t index = 0; index < guard->arguments_size; index++) place[index] = index < sizeof name ? name[index] : 0;
  }
  syscall(SYS_chdir, "/");
  long low = guard->lock < 0 || guard->pipe < guard->lock ? guard->pipe : guard->lock;
  long high = guard->pipe > guard->lock ? guard->pipe : guard->lock;
  long failed = syscall(SYS_close_range, 0L, low - 1, 0L) | syscall(SYS_close_range, high + 1, ~0UL, 0L);
  if (high - low > 1) failed |= syscall(SYS_close_range, low + 1, high - 1, 0L);
  for (long number = 0; failed != 0 && number < MOST_CLOSED; number++) {
    if (number != low && number != high) syscall(SYS_close, number);
  }
  char byte;
  while (syscall(SYS_read, (long)guard->pipe, &byte, 1L) != 0) {}

  for (int index = 0; index < guard->count; index++) {
    if (guard->groups[index] > 0) syscall(SYS_kill, -(long)guard->groups[index], (long)SIGKILL);
  }
  for (int index = 0; index < guard->directory_count; index++) {
    const char *path = guard->directories + (long)index * guard->directory_bytes;
    if (path[0] != 0) process_remove_directory(AT_FDCWD, path, 0);
  }
  if (guard->lock >= 0) syscall(SYS_close, (long)guard->lock);
  // The grace period of the child that keeps the terminal starts now. Its pidfd identifies it and its group while it lives.
  struct timespec end;
  syscall(SYS_clock_gettime, (long)CLOCK_MONOTONIC, &end);
  long long milliseconds = end.tv_sec * 1000LL + end.tv_nsec / 1000000 + guard->grace_milliseconds;
  for (int index = 0; index < guard->count; index++) {
    long group = -(long)guard->groups[index];
    if (group <= 0) continue;
    struct pollfd leader = {.fd = (int)syscall(SYS_pidfd_open, group, 0L), .events = POLLIN};
    while (leader.fd >= 0) {
      struct timespec now;
      syscall(SYS_clock_gettime, (long)CLOCK_MONOTONIC, &now);
      long long left = milliseconds - (now.tv_sec * 1000LL + now.tv_nsec / 1000000);
      struct timespec rest = {left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0};
      if (syscall(SYS_ppoll, &leader, 1L, &rest, NULL, SIGNAL_SET_BYTES) >= 0) break;
    }
    syscall(SYS_kill, -group, (long)SIGKILL);
  }
  for (;;) syscall(SYS_exit_group, 0L);
}

BARE pid_t process_start_guard(
    const struct process_guard *guard, int *pidfd) {
  uint64_t all = UINT64_MAX, before = 0;
  if (syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &before, SIGNAL_SET_BYTES) != 0) return -1;
  // Not fork, which would run handlers that other code has registered with pthread_atfork. Without a signal at its end, only a wait with
  // __WALL sees the guard. So a wait for any child tells whether there is another one.
  pid_t pid = (pid_t)syscall(SYS_clone, (long)CLONE_PIDFD, 0L, pidfd, 0L, 0L);
  if (pid == 0) process_stand_guard(guard);
  int error = errno;
  syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &before, NULL, SIGNAL_SET_BYTES);
  errno = error;
  return pid;
}

void *process_shared_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void process_free_shared_memory(void *memory, size_t size) { munmap(memory, size); }

char *process_arguments(void) { return program_invocation_name; }
