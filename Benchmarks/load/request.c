/* The seconds of a request `status` and its answer, for COUNT of them on one connection. */
#include "../bench.h"

static int count;
static struct reader in;

static double measure(void) {
  size_t length;
  double begin = now();
  for (int i = 0; i < count; i++) {
    put(in.fd, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"status\"}");
    next_message(&in, &length);
  }
  return (now() - begin) / count;
}

int main(int argc, char **argv) {
  size_t length;
  if (argc != 3) return 64;
  count = atoi(argv[2]);
  read_from(&in, dial(argv[1]));
  put(in.fd, HELLO);
  next_message(&in, &length);
  return serve(measure);
}
