#pragma once

/// Returns the C library's free memory to the system.
void platform_trim_heap(void);

/// Takes blocks of at least this size directly from the system, and returns each when it is freed.
void platform_keep_apart(int bytes);

/// Lets the C library keep all free memory, including large blocks, and allocate new memory in large steps.
void platform_keep_heap(void);
