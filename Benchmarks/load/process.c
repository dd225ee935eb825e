/* Measures the seconds of a whole program: its start, its work, and its end. The output of the program is dropped. */
#include "../bench.h"
#include <fcntl.h>
#include <sys/wait.h>

static char **command;
static int output;

static double measure(void) {
  double begin = now();
  int status;
  pid_t child = vfork();
  if (child == 0) {
    dup2(output, 1);
    execv(command[0], command);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) fail(command[0]);
  double took = now() - begin;
  if (status != 0) {
    fprintf(stderr, "%s ended with wait status %d\n", command[0], status);
    exit(1);
  }
  return took;
}

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  command = argv + 1;
  output = open("/dev/null", O_WRONLY | O_CLOEXEC);
  return serve(measure);
}
