#pragma once

/// Removes the variable that was set for the Swift runtime, so commands don't inherit it. To be called first in main.
void start_restore_environment(void);
