#include "CCommit.h"

const char *initfleet_commit(void) { return INITFLEET_COMMIT; }
