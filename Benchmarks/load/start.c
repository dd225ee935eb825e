/* The seconds from the start of a server until it has answered a client. The socket's directory is watched, so waiting for the socket costs
 * the server nothing. Then the server is ended. */
#include "../bench.h"
#include <limits.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>

static char **command, *path, directory[256], request[256];
static const char *name;
static size_t request_length;

static void wait_for_the_socket(int watch) {
  for (;;) {
    char events[4096] __attribute__((aligned(8)));
    ssize_t length = read(watch, events, sizeof events);
    if (length <= 0) fail("inotify");
    for (char *at = events; at < events + length;) {
      struct inotify_event *event = (struct inotify_event *)at;
      if (event->len > 0 && strcmp(event->name, name) == 0) return;
      at += sizeof *event + event->len;
    }
  }
}

static double measure(void) {
  unlink(path);
  int watch = inotify_init1(IN_CLOEXEC), status;
  if (inotify_add_watch(watch, directory, IN_CREATE | IN_MOVED_TO) < 0) fail(directory);
  struct sockaddr_un to = address(path);
  char answer[4096];
  double begin = now();
  pid_t child = vfork();
  if (child == 0) {
    execv(command[0], command);
    _exit(127);
  }
  if (child < 0) fail("vfork");
  wait_for_the_socket(watch);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* Some servers listen only after their socket has its name. */
  while (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
    if (errno != ECONNREFUSED) fail(path);
  }
  put_bytes(fd, request, request_length);
  if (read(fd, answer, sizeof answer) <= 0) fail("read");
  double took = now() - begin;
  close(fd);
  close(watch);
  kill(child, SIGTERM);
  waitpid(child, &status, 0);
  return took;
}

int main(int argc, char **argv) {
  if (argc < 4) return 64;
  path = argv[2];
  command = argv + 3;
  strncpy(directory, path, sizeof directory - 1);
  name = strrchr(path, '/') + 1;
  *strrchr(directory, '/') = 0;
  /* dinit is asked for the version of its protocol: a zero. */
  request_length = strcmp(argv[1], "initd") == 0 ? frame(request, HELLO) : 1;
  return serve(measure);
}
