// Leaves the names of Unicode scalars out of the static programs: half a megabyte, which only `Unicode.Scalar.Properties.name` reads.
//
// The linker's option --wrap (see the Makefile) redirects the standard library's calls of the function to this one. The programs don't ask
// for names: a change that does ends at the first use.

#include <stdint.h>
#include <stdlib.h>

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
  (void)scalar, (void)buffer, (void)capacity;
  abort();
}
