#pragma once

/// Sets the name of this thread for `ps` and debuggers, truncated to 15 bytes.
void platform_name_this_thread(const char *name);

/// Returns the cores that this thread may run on, as bits; the result is the number of words written to the mask, or -1 with errno.
long platform_affinity(unsigned long *mask, long words);
