#pragma once

/// Sets the name of this thread for `ps` and debuggers, truncated to 15 bytes.
void platform_name_this_thread(const char *name);

/// The cores that this thread may run on, a bit each; returns how many words of the mask were written, or -1 with errno.
long platform_affinity(unsigned long *mask, long words);
