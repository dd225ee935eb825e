#pragma once

// For code that runs in a process that shares our memory, or in a single-threaded copy of us: sanitizers must not instrument it.
#define BARE __attribute__((no_sanitize("address", "thread", "undefined")))

// Another name of `clone`: the thread sanitizer replaces `clone`, and treats the child as forked.
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
