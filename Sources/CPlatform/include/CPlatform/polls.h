#pragma once
#include <stdint.h>
#include <sys/epoll.h>

/// A descriptor that is ready: the key that it was added with, and epoll's events.
struct platform_ready {
  uint64_t key;
  uint32_t events;
};

/// A new epoll, close-on-exec; -1 with errno.
int platform_poll_create(void);

/// Watches a descriptor from now on, and reports it with `key`; 0, or -1 with errno.
int platform_poll_add(int epoll, int descriptor, uint32_t events, uint64_t key);

/// Replaces the events of a watched descriptor; 0, or -1 with errno.
int platform_poll_change(int epoll, int descriptor, uint32_t events, uint64_t key);

/// Stops watching a descriptor.
void platform_poll_remove(int epoll, int descriptor);

/// The descriptors that are ready now, at most `capacity`; it doesn't wait. Returns their number.
int platform_poll_ready(int epoll, struct platform_ready *ready, int capacity);
