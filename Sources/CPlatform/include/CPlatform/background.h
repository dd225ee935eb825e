#pragma once

/// Starts a program in a session of its own, in a directory, with an empty input, and with a file as its output and errors; 0, or an error
/// number.
///
/// A program in PATH is searched for if `is_in_path` isn't 0.
int platform_start_background(
    const char *program, int is_in_path, char *const *arguments, char *const *environment, const char *directory,
    const char *log, int *pid);
