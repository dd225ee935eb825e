/* What starting and waiting for COUNT programs one after the other costs with nothing around it: the yardstick of `make bench`. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1000;
  char *arguments[] = {"/bin/true", NULL};
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < count; i++) {
    pid_t child;
    int status;
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) != 0) return 1;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
  return 0;
}
