/* A client activates, its worker (another process) answers the run, and the client reads that the pass is complete: the median of
   the seconds of COUNT rounds. The floor passes the client's message to the worker, and the worker's to the client. */
#include "../bench.h"
#include <signal.h>
#include <sys/prctl.h>

static int rounds, initd;
static double took[1024];
static struct reader in;

static double measure(void) {
  size_t length;
  for (int i = 0; i < rounds; i++) {
    double begin = now();
    put(in.fd, initd ? ACTIVATE : RUN);
    /* The answer to `activate` and the two events of the pass: the last of them is that it is complete. */
    for (int messages = initd ? 3 : 1; messages > 0; messages--) next_message(&in, &length);
    took[i] = now() - begin;
  }
  return median(took, rounds);
}

static void work(void) {
  size_t length;
  for (;;) {
    const char *message = next_message(&in, &length);
    if (is_run(message)) answer_run(in.fd, message, ",\"result\":{}}");
  }
}

/* Connects, and sends `hello` and another request. */
static void join(const char *path, const char *request) {
  size_t length;
  read_from(&in, dial(path));
  if (!initd) return;
  put(in.fd, HELLO);
  put(in.fd, request);
  next_message(&in, &length);
  next_message(&in, &length);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  initd = strcmp(argv[1], "initd") == 0;
  rounds = atoi(argv[3]);
  /* The floor takes the first connection for the worker. */
  join(argv[2], REGISTER);
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
  }
  join(argv[2], SUBSCRIBE_PASS);
  return serve(measure);
}
