#pragma once

/// Sets the name of this thread for `ps` and debuggers, truncated to 15 bytes.
void platform_name_this_thread(const char *name);
