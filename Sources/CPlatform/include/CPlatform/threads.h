#pragma once

/// What `ps` and debuggers call this thread: 15 bytes of it.
void platform_name_this_thread(const char *name);
