/* The seconds from a client's `deactivate` until its worker has read `cancel`: the median of COUNT runs. The floor returns the message
   itself. */
#include "../bench.h"

static int rounds, initd;
static double took[1024];
static struct reader client, worker;

static double echoed(void) {
  size_t length;
  for (int i = 0; i < rounds; i++) {
    double begin = now();
    put(client.fd, DEACTIVATE);
    next_message(&client, &length);
    took[i] = now() - begin;
  }
  return median(took, rounds);
}

static double cancelled(void) {
  size_t length;
  for (int i = 0; i < rounds; i++) {
    char run[256];
    put(client.fd, ACTIVATE);
    const char *message = next_message(&worker, &length);
    memcpy(run, message, length < sizeof run ? length : sizeof run);
    next_message(&client, &length);
    double begin = now();
    put(client.fd, DEACTIVATE);
    next_message(&worker, &length);
    took[i] = now() - begin;
    answer_run(worker.fd, run, ",\"error\":{\"code\":-32008,\"message\":\"cancelled\"}}");
    next_message(&client, &length);
  }
  return median(took, rounds);
}

int main(int argc, char **argv) {
  size_t length;
  if (argc != 4) return 64;
  initd = strcmp(argv[1], "initd") == 0;
  rounds = atoi(argv[3]);
  read_from(&client, dial(argv[2]));
  if (!initd) return serve(echoed);
  put(client.fd, HELLO);
  next_message(&client, &length);
  read_from(&worker, dial(argv[2]));
  put(worker.fd, HELLO);
  put(worker.fd, REGISTER);
  next_message(&worker, &length);
  next_message(&worker, &length);
  return serve(cancelled);
}
