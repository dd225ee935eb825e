#pragma once
#include <stdint.h>

/// Ignores a signal; 0, or -1 with errno.
int platform_ignore_signal(int number);

/// Gives a signal its default action; 0, or -1 with errno.
int platform_default_signal(int number);

/// Blocks signals in this thread for good, and returns a descriptor that is readable when one is queued; -1 with errno.
///
/// Use it once, before there are other threads, which inherit the blocked signals.
int platform_queue_signals(const int *numbers, int count);

/// Takes the next queued signal that another process has sent; 0 without one. Signals that this process has sent are dropped.
int platform_next_signal(int descriptor);

/// Finds the signals that don't have their default disposition. From now on, this program changes a disposition only by the functions above,
/// or gives a signal a handler after `platform_note_signal`; only `platform_ignore_signal` ignores one.
void platform_find_changed_signals(void);

/// Records that this signal may get a handler.
void platform_note_signal(int number);

/// The signals whose disposition may not be the default one, signal 1 in the lowest bit: all of them, unless the program has found out.
uint64_t platform_changed_signals(void);

/// The signals among these that may be ignored: all of them, unless the program has found out.
uint64_t platform_ignored_signals(void);

/// Unblocks all signals in this thread but the queued ones; 0, or an error number.
int platform_unblock_all_signals(void);

/// Blocks a signal in this thread; 0, or an error number.
int platform_block_signal_in_this_thread(int number);
