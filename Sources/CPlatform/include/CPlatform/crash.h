#pragma once

/// Reports a crash of this program on standard error before the signal has its default action. The line has this name and version, the
/// build, the signal, and the return addresses of the stack, relative to the program's file.
///
/// Signals that have a handler or are ignored stay as they are.
void platform_report_crashes(const char *name, const char *version);
