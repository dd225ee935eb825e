/* A worker with COUNT initializers in a chain, whose connection also activates: the seconds of each run of a pass. The floor sends as many
   runs by itself. */
#include "../bench.h"

static int runs;
static struct reader in;

static double measure(void) {
  double begin = now();
  int events = 0, answered = 0;
  put(in.fd, ACTIVATE);
  /* Of the answer and the events, only their number counts: the pass starts, and is complete. */
  while (events < 2) {
    size_t length;
    const char *message = next_message(&in, &length);
    if (is_run(message)) {
      answer_run(in.fd, message, ",\"result\":{}}");
      answered++;
    } else if (is_event(message)) {
      events++;
    }
  }
  if (answered != runs) {
    fprintf(stderr, "%d runs instead of %d\n", answered, runs);
    exit(1);
  }
  return (now() - begin) / runs;
}

static void enroll(void) {
  size_t length;
  char *text = malloc((size_t)runs * 96 + 256), *end = text + 4;
  end += sprintf(end, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"register\",\"params\":{\"initializers\":[");
  for (int i = 0; i < runs; i++) {
    end += sprintf(end, "%s{\"name\":\"n%d\",\"priority\":\"appActive\",\"dependencies\":[", i == 0 ? "" : ",", i);
    end += i == 0 ? sprintf(end, "]}") : sprintf(end, "\"n%d\"]}", i - 1);
  }
  end += sprintf(end, "]}}");
  uint32_t big = htonl((uint32_t)(end - text - 4));
  memcpy(text, &big, 4);
  put(in.fd, HELLO);
  put_bytes(in.fd, text, (size_t)(end - text));
  put(in.fd, SUBSCRIBE_PASS);
  for (int i = 0; i < 3; i++) next_message(&in, &length);
  free(text);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  runs = atoi(argv[3]);
  read_from(&in, dial(argv[2]));
  if (strcmp(argv[1], "initd") == 0) enroll();
  return serve(measure);
}
