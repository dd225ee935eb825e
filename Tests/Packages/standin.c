// A small program in place of initd, initctl, initweb and initfleet: it answers what scripts/dist asks the programs that it packs.
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#endif

int main(int count, char **words) {
  const char *name = basename(words[0]), *asked = count > 1 ? words[1] : "";
  if (strcmp(asked, "--version") == 0) {
    printf("%s " VERSION " (commit 000000000000, protocol 1, " ARCHITECTURE ")\n", name);
  } else if (strcmp(asked, "--help") == 0) {
    printf("Stands in for %s.\n\nUsage: %s [options]\n", name, name);
  } else {
    printf("# %s %s\n", name, asked);
  }
  return 0;
}
