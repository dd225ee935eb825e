#pragma once

/// Binds a socket in a directory, as if there were no umask, or connects it; returns 0, or -1 with errno.
int platform_reach(int directory, int socket, const void *address, long size, int connects);
