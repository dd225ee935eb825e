#include "CPlatform/commit.h"

const char *platform_commit(void) { return PLATFORM_COMMIT; }
