#define _GNU_SOURCE
#include "CPlatform/memory.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *platform_shared_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void platform_free_shared_memory(void *memory, size_t size) { munmap(memory, size); }

char *platform_arguments(void) { return program_invocation_name; }

void platform_trim_heap(void) { malloc_trim(0); }

struct segments {
  struct { uintptr_t start, size; } of[8];
  int count;
};

static int find_segments(struct dl_phdr_info *object, size_t size, void *into) {
  (void)size;
  struct segments *found = into;
  uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  for (int number = 0; number < object->dlpi_phnum && found->count < 8; number++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~mask;
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz + mask) & ~mask;
    found->of[found->count].start = start;
    found->of[found->count++].size = end - start;
  }
  // The first object is the program; libraries are left as they are.
  return 1;
}

// A debugger's breakpoints in these pages are lost. Between the first call and the last one as little code as possible runs: the kernel maps
// up to 512 KiB around each place.
void platform_sleep_without_program_pages(int descriptor, int milliseconds) {
  struct segments found = {.count = 0};
  dl_iterate_phdr(find_segments, &found);
  struct pollfd ready = {.fd = descriptor, .events = POLLIN};
  struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  for (int number = 0; number < found.count; number++) {
    syscall(SYS_madvise, found.of[number].start, found.of[number].size, (long)MADV_DONTNEED);
  }
  syscall(SYS_ppoll, &ready, 1L, milliseconds < 0 ? NULL : &limit, NULL, 0L);
}

void platform_keep_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
}
