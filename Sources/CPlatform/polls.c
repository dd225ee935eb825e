#include "CPlatform/polls.h"

// At most this many are reported at once; the others are reported in the next call.
#define MOST 64

int platform_poll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int platform_poll_add(int epoll, int descriptor, uint32_t events, uint64_t key) {
  struct epoll_event event = {.events = events, .data.u64 = key};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int platform_poll_change(int epoll, int descriptor, uint32_t events, uint64_t key) {
  struct epoll_event event = {.events = events, .data.u64 = key};
  return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

void platform_poll_remove(int epoll, int descriptor) {
  struct epoll_event event = {0};
  epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}

int platform_poll_ready(int epoll, struct platform_ready *ready, int capacity) {
  struct epoll_event events[MOST];
  int count = epoll_wait(epoll, events, capacity < MOST ? capacity : MOST, 0);
  for (int index = 0; index < count; index++) {
    ready[index].key = events[index].data.u64;
    ready[index].events = events[index].events;
  }
  return count < 0 ? 0 : count;
}
