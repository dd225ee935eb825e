/* SUBSCRIBERS subscribers and one client, which causes events: the time until the last subscriber has read all of them. To initd the client
   sends `activate`, which causes two events, to Redis PUBLISH, and to the floor any byte. */
#include "../bench.h"
#include <sys/epoll.h>

enum kind { INITD, REDIS, FLOOR };

/* How many bytes of a subscriber's current frame are still to come, and the received bytes of its length. */
struct subscriber {
  int fd;
  uint32_t missing;
  uint8_t header[4], header_count;
};

static enum kind kind;
static int loop, subscribers, client;
static struct subscriber *all;
static struct reader in;
static char trigger[512];
static size_t trigger_length, message_length;

/* How many whole frames the bytes end. */
static size_t frames(struct subscriber *to, const char *bytes, size_t count) {
  size_t ended = 0;
  while (count > 0) {
    if (to->missing == 0) {
      to->header[to->header_count++] = (uint8_t)*bytes++;
      count--;
      if (to->header_count < 4) continue;
      uint32_t big;
      memcpy(&big, to->header, 4);
      to->missing = ntohl(big);
      to->header_count = 0;
    } else {
      size_t part = count < to->missing ? count : to->missing;
      bytes += part;
      count -= part;
      to->missing -= (uint32_t)part;
      if (to->missing == 0) ended++;
    }
  }
  return ended;
}

static double measure(void) {
  double begin = now();
  /* Redis is measured in bytes, because all its messages have one length. */
  size_t missing = (size_t)subscribers * (kind == INITD ? 2 : kind == FLOOR ? 1 : message_length);
  put_bytes(client, trigger, trigger_length);
  while (missing > 0) {
    struct epoll_event ready[256];
    int count = epoll_wait(loop, ready, 256, -1);
    for (int i = 0; i < count; i++) {
      static char bytes[1 << 14];
      struct subscriber *to = &all[ready[i].data.u32];
      ssize_t length = read(to->fd, bytes, sizeof bytes);
      if (length <= 0) fail("read");
      missing -= kind == REDIS ? (size_t)length : frames(to, bytes, (size_t)length);
    }
  }
  double took = now() - begin;
  size_t length;
  char answer[64];
  if (kind == INITD) next_message(&in, &length);
  else if (kind == REDIS && read(client, answer, sizeof answer) <= 0) fail("read");
  return took;
}

static void subscribe(int fd) {
  size_t length;
  char answer[256];
  if (kind == INITD) {
    read_from(&in, fd);
    /* Both messages are in one write, so the supervisor always reads both at once: its instructions are counted too. */
    size_t both = frame(answer, HELLO);
    put_bytes(fd, answer, both + frame(answer + both, SUBSCRIBE_PASS));
    next_message(&in, &length);
    next_message(&in, &length);
  } else if (kind == REDIS) {
    put_bytes(fd, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n", 26);
    if (read(fd, answer, sizeof answer) <= 0) fail("read");
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  kind = strcmp(argv[1], "initd") == 0 ? INITD : strcmp(argv[1], "redis") == 0 ? REDIS : FLOOR;
  subscribers = atoi(argv[3]);
  all = calloc((size_t)subscribers, sizeof *all);
  loop = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < subscribers; i++) {
    all[i].fd = dial(argv[2]);
    subscribe(all[i].fd);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
    if (epoll_ctl(loop, EPOLL_CTL_ADD, all[i].fd, &event) != 0) fail("epoll_ctl");
  }
  client = dial(argv[2]);
  if (kind == REDIS) {
    char text[256];
    size_t length = frame(text, EVENT);
    trigger_length = (size_t)sprintf(trigger, "*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$%zu\r\n%s\r\n", length - 4, EVENT);
    message_length = (size_t)snprintf(NULL, 0, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$%zu\r\n%s\r\n", length - 4, EVENT);
  } else {
    trigger_length = frame(trigger, ACTIVATE);
  }
  if (kind == INITD) {
    size_t length;
    put(client, HELLO);
    read_from(&in, client);
    next_message(&in, &length);
  }
  return serve(measure);
}
