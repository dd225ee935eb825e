// Lets a static Swift program start without /proc, e.g. in a root directory that contains only the program.
//
// Swift's runtime reads two things from /proc: its own path, without which it aborts before main, and the arguments, which would be empty.
// A constructor that runs before the runtime's provides both. If /proc exists, it does nothing.

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// Variables of the Swift runtime: arguments that replace those of /proc/self/cmdline, and the path of the runtime, or NULL.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc);
extern char *swift_copyAuxiliaryExecutablePath(const char *name);

// The C library calls constructors with main's arguments.
__attribute__((constructor(101))) static void start_without_proc(int argc, char **argv) {
  if (access("/proc/self/exe", F_OK) == 0) return;
  _swift_stdlib_overrideUnsafeArgvArgc(argv, argc);
  if (getenv("SWIFT_ROOT") != NULL) return;
  // The runtime reads this variable only once. It is removed again, so that children don't inherit it.
  setenv("SWIFT_ROOT", "/", 1);
  free(swift_copyAuxiliaryExecutablePath("swift-backtrace"));
  unsetenv("SWIFT_ROOT");
}

// The kernel drops signals to the first process of a container if it has no handler for them, so a signal before the handlers are installed
// would be lost. Blocked here, it stays pending until ProcessStart unblocks signals.
__attribute__((constructor(102))) static void hold_signals_of_the_first_process(void) {
  if (getpid() != 1) return;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}
