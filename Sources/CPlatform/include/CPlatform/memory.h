#pragma once
#include <stddef.h>

/// Returns zeroed memory that is shared with copies of this process; NULL with errno.
void *platform_shared_memory(size_t size);

/// Frees shared memory.
void platform_free_shared_memory(void *memory, size_t size);

/// Returns the first of our arguments, in the memory where the kernel has stored them.
char *platform_arguments(void);

/// Returns the C library's free memory to the system.
void platform_trim_heap(void);

/// Takes blocks of at least this size directly from the system, and returns each when it is freed.
void platform_keep_apart(int bytes);

/// Lets the C library keep all free memory, including large blocks, and allocate new memory in large steps.
void platform_keep_heap(void);
