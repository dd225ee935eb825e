#pragma once
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "birth.h"
#include "guard.h"
#include "reach.h"

// What Swift can't import by itself: macros with casts, GNU extensions, system calls without a wrapper.
//
// Without _GNU_SOURCE: Swift's own Glibc module is built without it, and two modules must see the same structs.
// What it would declare is declared here, or called by number.

#define CLIBUV_P_PIDFD 3

/// How a child ended and what it used; `code` is 0 while it hasn't, else CLD_EXITED, CLD_KILLED or CLD_DUMPED.
struct clibuv_exit {
  int code;
  int status;
  long long user_microseconds;
  long long system_microseconds;
  long max_resident_kilobytes;
};

/// A child that has ended and hasn't been reaped, or 0; it stays so.
static inline pid_t clibuv_peek_ended_child(void) {
  siginfo_t info = {0};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}

/// Memory that our copies share with us, all zero; NULL with errno.
static inline void *clibuv_shared_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | 0x20 /* MAP_ANONYMOUS */, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static inline void clibuv_free_shared_memory(void *memory, size_t size) { munmap(memory, size); }

/// The C library's: the first of our arguments, where the kernel has put them all.
extern char *program_invocation_name;

static inline char *clibuv_arguments(void) { return program_invocation_name; }

static inline void clibuv_trim_heap(void) { malloc_trim(0); }

/// Orphans below us become our children.
static inline int clibuv_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

static inline int clibuv_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

/// waitid(P_PIDFD), the raw call: glibc's own doesn't hand on the resource usage.
static inline int clibuv_wait(int pidfd, int options, struct clibuv_exit *result) {
  siginfo_t info = {0};
  struct rusage usage = {0};
  if (syscall(SYS_waitid, CLIBUV_P_PIDFD, pidfd, &info, options, &usage) != 0) return -1;
  result->code = info.si_pid == 0 ? 0 : info.si_code;
  result->status = info.si_status;
  result->user_microseconds = usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec;
  result->system_microseconds = usage.ru_stime.tv_sec * 1000000LL + usage.ru_stime.tv_usec;
  result->max_resident_kilobytes = usage.ru_maxrss;
  return 0;
}

/// Whether a child of ours that hasn't ended is in that group. A leader that has ended and hasn't been reaped doesn't count.
static inline int clibuv_has_live_child(pid_t group) {
  siginfo_t info = {0};
  return waitid(P_PGID, (id_t)group, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

/// SO_PEERCRED: who called connect (or, seen from a client, listen). 0, or -1 with errno.
static inline int clibuv_peer_credentials(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid) {
  struct {
    pid_t pid;
    uid_t uid;
    gid_t gid;
  } credentials = {0};
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  *pid = credentials.pid;
  *uid = credentials.uid;
  *gid = credentials.gid;
  return 0;
}

/// SO_PEERGROUPS: the supplementary groups of who called connect, in `bytes` bytes; with room for too few, how many it takes. 0, or -1 with errno.
static inline int clibuv_peer_groups(int descriptor, gid_t *groups, socklen_t *bytes) {
  return getsockopt(descriptor, SOL_SOCKET, 59, groups, bytes);
}

/// An accepted connection, close-on-exec and non-blocking from birth.
static inline int clibuv_accept(int descriptor) {
  return (int)syscall(SYS_accept4, descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// A Unix socket of the given type, close-on-exec and non-blocking from birth.
static inline int clibuv_unix_socket(int is_datagram) {
  return socket(AF_UNIX, (is_datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// One datagram; the length it had when sent, even if it was longer than the buffer. -1 with errno.
static inline ssize_t clibuv_receive(int descriptor, void *buffer, size_t capacity) {
  return recv(descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC);
}

/// The file behind a descriptor that was opened as a path alone gets a group; 0, or -1 with errno.
static inline int clibuv_change_group(int descriptor, gid_t group) {
  return (int)syscall(SYS_fchownat, descriptor, "", (uid_t)-1, group, 0x1000 /* AT_EMPTY_PATH */);
}

/// Opens a file as what it is, and not its content: nothing waits, and nothing happens to it. -1 with errno.
static inline int clibuv_open_path(int directory, const char *name, int flags) {
  return openat(directory, name, 0x200000 /* O_PATH */ | O_CLOEXEC | flags);
}

/// Renames a file in its directory unless something has the new name; 0, or -1 with errno.
static inline int clibuv_rename_to_free_name(int directory, const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, directory, from, directory, to, 1 /* RENAME_NOREPLACE */);
}

static inline int clibuv_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

static inline int clibuv_ignore_signal(int number) { return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0; }

static inline int clibuv_default_signal(int number) { return signal(number, SIG_DFL) == SIG_ERR ? -1 : 0; }

typedef void (*clibuv_handler)(int);

/// A place within a function: a variable of its own wouldn't be in any program of Swift's.
static inline clibuv_handler *clibuv_handler_for_others(void) {
  static clibuv_handler handler;
  return &handler;
}

static void clibuv_heed_others(int number, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_pid != getpid()) (*clibuv_handler_for_others())(number);
}

/// From now on a signal that has a handler reaches it only if another process has sent it; 0, or -1 with errno.
static inline int clibuv_heed_only_others(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) != 0) return -1;
  if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL || action.sa_flags & SA_SIGINFO) return 0;
  *clibuv_handler_for_others() = action.sa_handler;
  action.sa_sigaction = clibuv_heed_others;
  action.sa_flags |= SA_SIGINFO;
  return sigaction(number, &action, NULL);
}

static inline int clibuv_unblock_all_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  return pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static inline int clibuv_block_signal_in_this_thread(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static inline void clibuv_name_this_thread(const char *name) { prctl(PR_SET_NAME, name); }
