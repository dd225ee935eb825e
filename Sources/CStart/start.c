// What lets a static Swift program start where there is no /proc: in a root directory that holds nothing but the program.
//
// Swift's runtime takes two things from there: its own path, without which it aborts before main, and the arguments, which would be none.
// A constructor that comes before the runtime's own hands it both. Where there is a /proc, nothing is done.

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// The Swift runtime's: arguments that go before those of /proc/self/cmdline, and a program that comes with the runtime, or NULL.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc);
extern char *swift_copyAuxiliaryExecutablePath(const char *name);

// The C library calls constructors with main's arguments.
__attribute__((constructor(101))) static void start_without_proc(int argc, char **argv) {
  if (access("/proc/self/exe", F_OK) == 0) return;
  _swift_stdlib_overrideUnsafeArgvArgc(argv, argc);
  if (getenv("SWIFT_ROOT") != NULL) return;
  // Where the runtime lies is asked for once and remembered; children don't get to see how.
  setenv("SWIFT_ROOT", "/", 1);
  free(swift_copyAuxiliaryExecutablePath("swift-backtrace"));
  unsetenv("SWIFT_ROOT");
}

// To the first process of a container the kernel gives no signal that it has no handler for: one that comes before there are handlers would
// be lost. Held here, it is given when ProcessStart lets signals through.
__attribute__((constructor(102))) static void hold_signals_of_the_first_process(void) {
  if (getpid() != 1) return;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}
