#pragma once

// For what runs in a process that shares our memory, or is a copy of us with one thread: no sanitizer may look at memory there.
#define BARE __attribute__((no_sanitize("address", "thread", "undefined")))

// `clone` by its other name: the thread sanitizer has one of its own, which takes the child for a fork.
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
