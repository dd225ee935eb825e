/* The least client: it sends `hello` and `wait` or `status` in one write, reads the two answers, and prints the last one as it is. */
#include "../bench.h"

#define WAIT "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"wait\",\"params\":{\"for\":\"ready\"}}"
#define STATUS "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"status\"}"

int main(int argc, char **argv) {
  static struct reader in;
  char requests[512];
  size_t length;
  if (argc != 3) return 64;
  read_from(&in, dial(argv[2]));
  length = frame(requests, HELLO);
  length += frame(requests + length, strcmp(argv[1], "wait") == 0 ? WAIT : STATUS);
  put_bytes(in.fd, requests, length);
  next_message(&in, &length);
  const char *answer = next_message(&in, &length);
  put_bytes(1, answer, length);
  return 0;
}
