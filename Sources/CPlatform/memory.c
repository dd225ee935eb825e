#define _GNU_SOURCE
#include "CPlatform/memory.h"

#include <malloc.h>

void platform_trim_heap(void) { malloc_trim(0); }

void platform_keep_apart(int bytes) {
  mallopt(M_MMAP_THRESHOLD, bytes);
  // Setting one of these options disables the C library's own adjustment of both. This keeps the end of the heap for the next large block.
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

void platform_keep_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
}
