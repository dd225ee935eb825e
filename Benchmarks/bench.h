/* The common parts of the floors and the load generators: frames of the protocol, sockets, and the clock. */
#ifndef BENCH_H
#define BENCH_H

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HELLO \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1,\"client\":{\"name\":\"bench\",\"version\":\"1\"}}}"
#define ACTIVATE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"activate\"}"
#define DEACTIVATE "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"deactivate\"}"
#define SUBSCRIBE_PASS "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe\",\"params\":{\"topics\":[\"pass\"]}}"
#define REGISTER \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"register\",\"params\":{\"initializers\":[{\"name\":\"favorites\",\"priority\":\"appActive\"}]}}"
/* Messages of the size of the real ones, which the floors send. */
#define RUN \
  "{\"jsonrpc\":\"2.0\",\"id\":\"run-1000\",\"method\":\"run\",\"params\":{\"run\":1000,\"initializer\":\"n1000\",\"attempt\":1,\"pass\":2,\"phase\":\"active\"}}"
#define EVENT \
  "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"seq\":1000,\"time\":1763672400.123456,\"topic\":\"pass\",\"pass\":1000,\"phase\":\"active\",\"status\":\"started\"}}"

static inline _Noreturn void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline struct sockaddr_un address(const char *path) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof to.sun_path) {
    errno = ENAMETOOLONG;
    fail(path);
  }
  strcpy(to.sun_path, path);
  return to;
}

/* A connected socket. It blocks. A server that has just been started gets 10 s to listen. */
static inline int dial(const char *path) {
  struct sockaddr_un to = address(path);
  struct timespec pause = {.tv_nsec = 1000000};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  for (int tries = 0; connect(fd, (struct sockaddr *)&to, sizeof to) != 0; tries++) {
    if (tries == 10000 || (errno != ENOENT && errno != ECONNREFUSED)) fail(path);
    nanosleep(&pause, NULL);
  }
  return fd;
}

static inline int listen_at(const char *path) {
  struct sockaddr_un at = address(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 4096) != 0) fail(path);
  return fd;
}

static inline void put_bytes(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = write(fd, bytes, count);
    if (sent < 0) fail("write");
    bytes += sent;
    count -= (size_t)sent;
  }
}

/* Writes a message as a frame to `to`, and returns the length of the frame. */
static inline size_t frame(char *to, const char *message) {
  uint32_t length = (uint32_t)strlen(message), big = htonl(length);
  memcpy(to, &big, 4);
  memcpy(to + 4, message, length);
  return length + 4;
}

static inline void put(int fd, const char *message) {
  char buffer[1024];
  put_bytes(fd, buffer, frame(buffer, message));
}

/* The frames of a connection that blocks. A message isn't ended by a zero. */
struct reader {
  int fd;
  size_t start, end;
  char bytes[1 << 24];
};

static inline void read_from(struct reader *in, int fd) {
  in->fd = fd;
  in->start = in->end = 0;
}

static inline const char *next_message(struct reader *in, size_t *length) {
  for (;;) {
    if (in->end - in->start >= 4) {
      uint32_t big;
      memcpy(&big, in->bytes + in->start, 4);
      *length = ntohl(big);
      if (*length + 4 > sizeof in->bytes) {
        errno = EMSGSIZE;
        fail("a frame");
      }
      if (in->end - in->start >= *length + 4) {
        const char *message = in->bytes + in->start + 4;
        in->start += *length + 4;
        return message;
      }
    }
    if (in->start > 0) {
      memmove(in->bytes, in->bytes + in->start, in->end - in->start);
      in->end -= in->start;
      in->start = 0;
    }
    ssize_t count = read(in->fd, in->bytes + in->end, sizeof in->bytes - in->end);
    if (count <= 0) fail("read");
    in->end += (size_t)count;
  }
}

/* The requests `run` have an id that is a string, and answers to our requests a number. */
static inline int is_run(const char *message) { return memcmp(message, "{\"jsonrpc\":\"2.0\",\"id\":\"", 23) == 0; }
static inline int is_event(const char *message) { return memcmp(message, "{\"jsonrpc\":\"2.0\",\"method\":\"event\"", 33) == 0; }

/* Answers a request `run` with `rest`, which begins after the id. */
static inline void answer_run(int fd, const char *message, const char *rest) {
  char text[256] = "{\"jsonrpc\":\"2.0\",\"id\":";
  size_t begin = strlen(text), length = 0;
  while (message[begin + 1 + length] != '"') length++;
  memcpy(text + begin, message + begin, length + 2);
  strcpy(text + begin + length + 2, rest);
  put(fd, text);
}

static inline int compare_doubles(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return difference < 0 ? -1 : difference > 0;
}

/* The median, which a few interruptions by other programs don't change. It sorts the values. */
static inline double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

/* Measures once for each line of the standard input, and prints the seconds, so the driver can alternate between programs. */
static inline int serve(double (*measure)(void)) {
  puts("ready");
  fflush(stdout);
  while (getchar() == '\n') {
    printf("%.9f\n", measure());
    fflush(stdout);
  }
  return 0;
}

#endif
