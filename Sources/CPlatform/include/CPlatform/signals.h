#pragma once
#include <stdint.h>

/// Ignores a signal; 0, or -1 with errno.
int platform_ignore_signal(int number);

/// Gives a signal its default action; 0, or -1 with errno.
int platform_default_signal(int number);

/// Makes a signal's handler run only if another process has sent the signal; 0, or -1 with errno.
int platform_heed_only_others(int number);

/// Finds the signals that don't have their default disposition. From now on, this program changes a disposition only by the functions above,
/// or gives a signal a handler after `platform_note_signal`; only `platform_ignore_signal` ignores one.
void platform_find_changed_signals(void);

/// Records that this signal may get a handler.
void platform_note_signal(int number);

/// The signals whose disposition may not be the default one, signal 1 in the lowest bit: all of them, unless the program has found out.
uint64_t platform_changed_signals(void);

/// The signals among these that may be ignored: all of them, unless the program has found out.
uint64_t platform_ignored_signals(void);

/// Unblocks all signals in this thread; 0, or an error number.
int platform_unblock_all_signals(void);

/// Blocks a signal in this thread; 0, or an error number.
int platform_block_signal_in_this_thread(int number);
