#include "CPlatform/threads.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void platform_name_this_thread(const char *name) { prctl(PR_SET_NAME, name); }

long platform_affinity(unsigned long *mask, long words) {
  long size = syscall(SYS_sched_getaffinity, 0L, words * (long)sizeof *mask, mask);
  return size < 0 ? -1 : size / (long)sizeof *mask;
}
