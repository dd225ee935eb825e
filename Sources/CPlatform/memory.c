// The C library declares dl_iterate_phdr with it.
#define _GNU_SOURCE
#include "CPlatform/memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

void *platform_shared_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | 0x20 /* MAP_ANONYMOUS */, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void platform_free_shared_memory(void *memory, size_t size) { munmap(memory, size); }

// Declared by the C library only with _GNU_SOURCE.
extern char *program_invocation_name;

char *platform_arguments(void) { return program_invocation_name; }

void platform_trim_heap(void) { malloc_trim(0); }

// A debugger's breakpoints in these pages are lost.
static int release_segments(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  for (int number = 0; number < object->dlpi_phnum; number++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    uintptr_t end = (start + segment->p_filesz + mask) & ~mask;
    start &= ~mask;
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  // The first object is the program; libraries are left as they are.
  return 1;
}

void platform_release_program_pages(void) { dl_iterate_phdr(release_segments, NULL); }

void platform_keep_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
}
