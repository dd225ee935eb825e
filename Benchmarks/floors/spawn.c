/* Measures the minimum cost of starting COUNT programs, PLACES at a time: vfork, exec and wait, without any decision. */
#include "../bench.h"
#include <sys/wait.h>

static int count, places;

static void start(void) {
  static char *const arguments[] = {"/bin/true", NULL};
  static char *const environment[] = {NULL};
  pid_t child = vfork();
  if (child == 0) {
    execve(arguments[0], arguments, environment);
    _exit(127);
  }
  if (child < 0) fail("vfork");
}

static double measure(void) {
  double begin = now();
  int started = 0, ended = 0;
  while (ended < count) {
    while (started < count && started - ended < places) {
      start();
      started++;
    }
    int status;
    if (wait(&status) < 0 || status != 0) fail("wait");
    ended++;
  }
  return now() - begin;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  count = atoi(argv[1]);
  places = atoi(argv[2]);
  return serve(measure);
}
