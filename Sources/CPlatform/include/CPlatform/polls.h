#pragma once
#include <stdint.h>

/// Creates an epoll, close-on-exec; returns -1 with errno if it fails.
int platform_poll_create(void);

/// Watches a descriptor until it is closed, and reports `key` each time that it becomes readable or its other end is closed; 0, or -1 with
/// errno.
int platform_poll_add(int epoll, int descriptor, uint64_t key);

/// Stores the keys of descriptors that became ready, at most `capacity` of them; the others are reported next time. It doesn't wait.
/// Returns the number of ready events.
int platform_poll_ready(int epoll, uint64_t *keys, int capacity);

/// Creates a timer that becomes readable at a time of the clock that also runs while the machine is suspended; close-on-exec and
/// non-blocking. -1 with errno.
int platform_boot_timer_create(void);

/// Makes such a timer readable at `nanoseconds` after the boot, and not before; 0 for never. It isn't readable any more if it was. 0, or -1
/// with errno.
int platform_boot_timer_set(int timer, uint64_t nanoseconds);

/// Whether an epoll has a ready descriptor; 0 or 1. It doesn't wait.
int platform_poll_is_ready(int epoll);
