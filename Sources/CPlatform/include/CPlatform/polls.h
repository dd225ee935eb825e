#pragma once
#include <stdint.h>

/// Creates a timer that becomes readable at a time of the clock that also runs while the machine is suspended; close-on-exec and
/// non-blocking. -1 with errno.
int platform_boot_timer_create(void);

/// Makes such a timer readable at `nanoseconds` after the boot, and not before; 0 for never. It isn't readable any more if it was. 0, or -1
/// with errno.
int platform_boot_timer_set(int timer, uint64_t nanoseconds);

/// Whether an epoll has a ready descriptor; 0 or 1. It doesn't wait.
int platform_poll_is_ready(int epoll);

/// The maximum number of descriptors that `platform_epoll_ready` returns.
#define PLATFORM_EPOLL_EVENTS 64

/// Creates an epoll; close-on-exec. -1 with errno.
int platform_epoll_create(void);

/// Watches whether a descriptor is readable, under a number; 0, or -1 with errno.
int platform_epoll_add(int epoll, int descriptor, uint64_t number);

/// Stops watching a descriptor; 0, or -1 with errno.
int platform_epoll_remove(int epoll, int descriptor);

/// Stores the numbers of at most PLATFORM_EPOLL_EVENTS descriptors that are readable, and returns how many; -1 with errno. It doesn't wait.
int platform_epoll_ready(int epoll, uint64_t *numbers);
