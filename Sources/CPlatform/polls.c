#include "CPlatform/polls.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#define MOST 64

int platform_poll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int platform_poll_add(int epoll, int descriptor, uint64_t key) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.u64 = key};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int platform_poll_ready(int epoll, uint64_t *keys, int capacity) {
  struct epoll_event events[MOST];
  int count = epoll_wait(epoll, events, capacity < MOST ? capacity : MOST, 0);
  for (int index = 0; index < count; index++) keys[index] = events[index].data.u64;
  return count < 0 ? 0 : count;
}

int platform_boot_timer_create(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int platform_boot_timer_set(int timer, uint64_t nanoseconds) {
  struct itimerspec moment = {
      .it_value = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &moment, NULL);
}

int platform_poll_is_ready(int epoll) {
  struct pollfd ready = {.fd = epoll, .events = POLLIN};
  return poll(&ready, 1, 0) > 0;
}
