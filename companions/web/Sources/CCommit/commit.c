#include "CCommit.h"

const char *initweb_commit(void) { return INITWEB_COMMIT; }
