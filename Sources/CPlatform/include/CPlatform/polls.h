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
