#include "CPlatform/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CPlatform/bare.h"

static _Atomic uint64_t changed = UINT64_MAX;
static _Atomic uint64_t ignored = UINT64_MAX;

void platform_note_signal(int number) { atomic_fetch_or(&changed, (uint64_t)1 << (number - 1)); }

uint64_t platform_changed_signals(void) { return atomic_load(&changed); }

uint64_t platform_ignored_signals(void) { return atomic_load(&ignored); }

void platform_find_changed_signals(void) {
  uint64_t found = 0, found_ignored = 0;
  for (long number = 1; number <= GREATEST_SIGNAL; number++) {
    // The C library's function would skip its own two signals.
    struct kernel_action action = {0};
    uint64_t bit = (uint64_t)1 << (number - 1);
    int failed = syscall(SYS_rt_sigaction, number, NULL, &action, SIGNAL_SET_BYTES) != 0;
    if (failed || action.handler != 0) found |= bit;
    if (failed || action.handler == (uintptr_t)SIG_IGN) found_ignored |= bit;
  }
  atomic_store(&changed, found);
  atomic_store(&ignored, found_ignored);
}

int platform_ignore_signal(int number) {
  platform_note_signal(number);
  atomic_fetch_or(&ignored, (uint64_t)1 << (number - 1));
  return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0;
}

int platform_default_signal(int number) { return signal(number, SIG_DFL) == SIG_ERR ? -1 : 0; }

/// The signals that are read from a descriptor.
static sigset_t queued;

int platform_queue_signals(const int *numbers, int count) {
  for (int index = 0; index < count; index++) sigaddset(&queued, numbers[index]);
  if (pthread_sigmask(SIG_BLOCK, &queued, NULL) != 0) return -1;
  return signalfd(-1, &queued, SFD_CLOEXEC | SFD_NONBLOCK);
}

int platform_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  while (read(descriptor, &info, sizeof info) == sizeof info) {
    if (info.ssi_pid != (uint32_t)getpid()) return (int)info.ssi_signo;
  }
  return 0;
}

int platform_unblock_all_signals(void) { return pthread_sigmask(SIG_SETMASK, &queued, NULL); }

int platform_block_signal_in_this_thread(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return pthread_sigmask(SIG_BLOCK, &set, NULL);
}
