/* A server that echoes its input, to any number of connections. */
#include "../bench.h"
#include <sys/epoll.h>

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  int listener = listen_at(argv[1]), loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[64];
  epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(loop, ready, 64, -1);
    for (int i = 0; i < count; i++) {
      int fd = ready[i].data.fd;
      if (fd == listener) {
        event.data.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (event.data.fd < 0) fail("accept");
        epoll_ctl(loop, EPOLL_CTL_ADD, event.data.fd, &event);
        continue;
      }
      static char bytes[1 << 16];
      ssize_t length = read(fd, bytes, sizeof bytes);
      if (length > 0) put_bytes(fd, bytes, (size_t)length);
      else close(fd);
    }
  }
}
