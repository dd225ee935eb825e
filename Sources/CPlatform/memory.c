#define _GNU_SOURCE
#include "CPlatform/memory.h"

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>

void *platform_shared_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void platform_free_shared_memory(void *memory, size_t size) { munmap(memory, size); }

char *platform_arguments(void) { return program_invocation_name; }

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
