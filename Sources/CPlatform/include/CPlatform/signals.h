#pragma once

/// Ignores a signal; 0, or -1 with errno.
int platform_ignore_signal(int number);

/// Gives a signal its default action; 0, or -1 with errno.
int platform_default_signal(int number);

/// Makes a signal's handler run only if another process has sent the signal; 0, or -1 with errno.
int platform_heed_only_others(int number);

/// Unblocks all signals in this thread; 0, or an error number.
int platform_unblock_all_signals(void);

/// Blocks a signal in this thread; 0, or an error number.
int platform_block_signal_in_this_thread(int number);
