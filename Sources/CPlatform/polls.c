#include "CPlatform/polls.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

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

int platform_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int platform_epoll_add(int epoll, int descriptor, uint64_t number) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = number}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int platform_epoll_remove(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }

int platform_epoll_ready(int epoll, uint64_t *numbers) {
  struct epoll_event events[PLATFORM_EPOLL_EVENTS];
  int count = epoll_wait(epoll, events, PLATFORM_EPOLL_EVENTS, 0);
  for (int index = 0; index < count; index++) numbers[index] = events[index].data.u64;
  return count;
}
