#pragma once

#include <stdint.h>

// Marks code that runs in a process that shares our memory, or in a single-threaded copy of us: sanitizers must not instrument it.
#define BARE __attribute__((no_sanitize("address", "thread", "undefined")))

// This is another name of `clone`: the thread sanitizer replaces `clone`, and treats the child as forked.
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

/// The signals of the kernel are 1 to 64, and a set of them has 8 bytes. The C library keeps two of them for itself, and its sets are larger.
#define GREATEST_SIGNAL 64
#define SIGNAL_SET_BYTES 8L

/// The kernel's sigaction, which begins with the handler. All zero, it is the default action.
struct kernel_action {
  uintptr_t handler;
  unsigned long rest[7];
};
