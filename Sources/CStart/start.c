// What a static Swift program does before main.

#include "CStart.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// A function of the Swift runtime: sets the arguments of the program.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc);

static int has_set_root;

// Sets the arguments: the C library calls constructors with main's arguments. The runtime would look for them in /proc, which a root
// directory that contains only the program doesn't have.
__attribute__((constructor(101))) static void set_arguments(int argc, char **argv) { _swift_stdlib_overrideUnsafeArgvArgc(argv, argc); }

// Sets SWIFT_ROOT: the runtime looks there for its program that prints backtraces, or else beside the program's own path. If /proc doesn't
// tell that path, it would abort.
__attribute__((constructor(101))) static void set_root(void) {
  char byte;
  if (readlink("/proc/self/exe", &byte, 1) >= 0 || getenv("SWIFT_ROOT") != NULL) return;
  has_set_root = setenv("SWIFT_ROOT", "/", 0) == 0;
}

void start_restore_environment(void) {
  if (has_set_root) unsetenv("SWIFT_ROOT");
}

// Holds signals: the kernel drops signals to the first process of a container if it has no handler for them, so a signal before the
// handlers are installed would be lost. Blocked here, it stays pending until ProcessStart unblocks signals.
__attribute__((constructor(102))) static void hold_signals_of_the_first_process(void) {
  if (getpid() != 1) return;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}
