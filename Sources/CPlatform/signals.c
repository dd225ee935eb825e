#include "CPlatform/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
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

static void (*handler_for_others)(int);

static void heed_others(int number, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_pid != getpid()) handler_for_others(number);
}

int platform_heed_only_others(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) != 0) return -1;
  if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL || action.sa_flags & SA_SIGINFO) return 0;
  handler_for_others = action.sa_handler;
  action.sa_sigaction = heed_others;
  action.sa_flags |= SA_SIGINFO;
  return sigaction(number, &action, NULL);
}

int platform_unblock_all_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  return pthread_sigmask(SIG_SETMASK, &none, NULL);
}

int platform_block_signal_in_this_thread(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return pthread_sigmask(SIG_BLOCK, &set, NULL);
}
