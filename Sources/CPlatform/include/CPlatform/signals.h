#pragma once

/// A signal is ignored from now on; 0, or -1 with errno.
int platform_ignore_signal(int number);

/// A signal has its default effect from now on; 0, or -1 with errno.
int platform_default_signal(int number);

/// From now on a signal that has a handler reaches it only if another process has sent it; 0, or -1 with errno.
int platform_heed_only_others(int number);

/// Lets every signal through to this thread; 0, or an error number.
int platform_unblock_all_signals(void);

/// Keeps a signal from this thread; 0, or an error number.
int platform_block_signal_in_this_thread(int number);
