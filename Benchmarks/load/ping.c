/* REQUESTS requests over CONNECTIONS connections, each with PIPELINED of them at a time, to initd, to Redis, or to the floor. The same
   loop does all three: they differ only in the bytes of the request, and in how many bytes answer one. */
#include "../bench.h"
#include <sys/epoll.h>

static int loop, connections, pipelined, requests;
static int fds[1024];
static size_t got[1024], answers_length, batch_length;
static char batch[1 << 16];

static void send_batch(int i) { put_bytes(fds[i], batch, batch_length); }

static double measure(void) {
  double begin = now();
  int asked = 0, answered = 0;
  for (int i = 0; i < connections; i++, asked += pipelined) send_batch(i);
  while (answered < asked) {
    struct epoll_event ready[64];
    int count = epoll_wait(loop, ready, 64, -1);
    for (int j = 0; j < count; j++) {
      static char bytes[1 << 16];
      int i = (int)ready[j].data.u32;
      ssize_t length = read(fds[i], bytes, sizeof bytes);
      if (length <= 0) fail("read");
      got[i] += (size_t)length;
      if (got[i] < answers_length) continue;
      got[i] = 0;
      answered += pipelined;
      if (asked < requests) {
        send_batch(i);
        asked += pipelined;
      }
    }
  }
  return (now() - begin) / answered;
}

int main(int argc, char **argv) {
  if (argc != 6) return 64;
  connections = atoi(argv[3]);
  pipelined = atoi(argv[4]);
  requests = atoi(argv[5]);
  char request[256];
  int initd = strcmp(argv[1], "initd") == 0, redis = strcmp(argv[1], "redis") == 0;
  size_t length = frame(request, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}"), answer = length;
  if (redis) {
    length = (size_t)sprintf(request, "*1\r\n$4\r\nPING\r\n");
    answer = strlen("+PONG\r\n");
  }
  loop = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < connections; i++) {
    static struct reader in;
    size_t ignored;
    fds[i] = dial(argv[2]);
    if (initd) {
      read_from(&in, fds[i]);
      put(fds[i], HELLO);
      next_message(&in, &ignored);
      put_bytes(fds[i], request, length);
      next_message(&in, &ignored);
      answer = ignored + 4;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
    epoll_ctl(loop, EPOLL_CTL_ADD, fds[i], &event);
  }
  for (int i = 0; i < pipelined; i++, batch_length += length) memcpy(batch + batch_length, request, length);
  answers_length = answer * (size_t)pipelined;
  return serve(measure);
}
