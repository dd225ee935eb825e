#define _GNU_SOURCE
#include "CProcesses/children.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int process_wait(int pidfd, int options, struct process_exit *result) {
  siginfo_t info = {0};
  struct rusage usage = {0};
  if (syscall(SYS_waitid, P_PIDFD, pidfd, &info, options | __WALL, &usage) != 0) return -1;
  result->code = info.si_pid == 0 ? 0 : info.si_code;
  result->status = info.si_status;
  result->user_microseconds = usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec;
  result->system_microseconds = usage.ru_stime.tv_sec * 1000000LL + usage.ru_stime.tv_usec;
  result->max_resident_kilobytes = usage.ru_maxrss;
  return 0;
}

int process_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

pid_t process_peek_ended_child(void) {
  siginfo_t info = {0};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}

int process_has_child(void) {
  siginfo_t info = {0};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

int process_has_live_child(pid_t group) {
  siginfo_t info = {0};
  return waitid(P_PGID, (id_t)group, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

int process_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
