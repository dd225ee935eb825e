#include "CPlatform/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int platform_ignore_signal(int number) { return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0; }

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
