#pragma once
#include <stddef.h>

/// Memory that our copies share with us, all zero; NULL with errno.
void *platform_shared_memory(size_t size);

/// Gives it back.
void platform_free_shared_memory(void *memory, size_t size);

/// The first of our arguments, where the kernel has put them all.
char *platform_arguments(void);

/// Gives back to the system what the C library keeps.
void platform_trim_heap(void);
