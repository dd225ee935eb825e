#define _GNU_SOURCE
#include "CPlatform/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CPlatform/bare.h"

// Binding and connecting a socket relative to a directory. The system accepts only paths of at most 107 bytes, and applies the umask to the
// mode. Working directory and umask belong to the whole process. Without other threads we change them and change them back. Otherwise a
// child does it: it has its own of both, and shares the rest with us. We are suspended in the meantime; CProcesses/spawn.c describes what
// the child may use.

struct platform_reach {
  /// The directory that the address is relative to.
  int directory;
  int socket;
  const void *address;
  long size;
  /// 0: the socket is bound to the address. 1: it is connected to the address.
  int connects;
  volatile int error;
};

BARE static void platform_reach_here(struct platform_reach *reach) {
  long call = reach->connects ? SYS_connect : SYS_bind;
  if (syscall(SYS_fchdir, (long)reach->directory) < 0 || syscall(call, (long)reach->socket, reach->address, reach->size) < 0) {
    reach->error = errno;
  }
}

BARE static int platform_reaching(void *argument) {
  syscall(SYS_umask, 0L);
  platform_reach_here((struct platform_reach *)argument);
  syscall(SYS_exit, 0L);
  return 0;
}

/// Reaches the address in this process. Returns 0, without trying, if this process couldn't change back afterwards; else 1.
static int platform_reach_and_return(struct platform_reach *reach) {
  int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  // A directory that we may not search can be ours, but not be changed to.
  if (before < 0 || faccessat(before, ".", X_OK, AT_EACCESS) != 0) {
    if (before >= 0) close(before);
    return 0;
  }
  mode_t mask = umask(0);
  platform_reach_here(reach);
  umask(mask);
  if (fchdir(before) != 0) reach->error = errno;
  close(before);
  return 1;
}

BARE int platform_reach(
    int directory, int socket, const void *address, long size, int connects) {
  _Alignas(16) char stack[16 * 1024];
  uint64_t all = UINT64_MAX, before = 0;
  struct platform_reach reach = {directory, socket, address, size, connects, 0};
  if (syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &before, SIGNAL_SET_BYTES) != 0) return -1;
  int flags = CLONE_VM | CLONE_FILES | CLONE_VFORK;
  pid_t pid = -1;
  int isReached = __libc_single_threaded && platform_reach_and_return(&reach);
  if (!isReached) pid = __clone(platform_reaching, stack + sizeof stack, flags, &reach);
  int error = !isReached && pid < 0 ? errno : reach.error;
  // The end of the child raises no signal, and code that waits for children doesn't see it.
  while (pid >= 0 && syscall(SYS_wait4, (long)pid, NULL, (long)__WALL, NULL) < 0 && errno == EINTR) {}
  syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &before, NULL, SIGNAL_SET_BYTES);
  errno = error;
  return error == 0 ? 0 : -1;
}
