/* Runs a program, and prints after its output the most memory that it had, in bytes. A child begins with the memory of its parent: this one
   has little, unlike the driver. */
#include "../bench.h"
#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  struct rusage usage;
  int status;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) fail(argv[1]);
  printf("%ld\n", usage.ru_maxrss * 1024);
  return status == 0 ? 0 : 1;
}
