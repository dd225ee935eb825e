#include "CPlatform/polls.h"

#include <poll.h>
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
