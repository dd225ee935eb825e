#pragma once
#include <sys/socket.h>
#include <sys/types.h>

/// SO_PEERCRED: the process that called connect (for a client: listen). 0, or -1 with errno.
int platform_peer_credentials(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid);

/// SO_PEERGROUPS: the supplementary groups of that process, in a buffer of `bytes` bytes; if it is too small, the required size. 0, or -1
/// with errno.
int platform_peer_groups(int descriptor, gid_t *groups, socklen_t *bytes);

/// An accepted connection, created close-on-exec and non-blocking.
int platform_accept(int descriptor);

/// A Unix socket of the given type, created close-on-exec and non-blocking.
int platform_unix_socket(int is_datagram);

/// Receives a datagram; returns its original length, even if it was longer than the buffer. -1 with errno.
ssize_t platform_receive(int descriptor, void *buffer, size_t capacity);
