#include "CPlatform/threads.h"

#include <sys/prctl.h>

void platform_name_this_thread(const char *name) { prctl(PR_SET_NAME, name); }
