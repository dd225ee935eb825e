#pragma once
#include <sys/socket.h>
#include <sys/types.h>

/// SO_PEERCRED: who called connect (or, seen from a client, listen). 0, or -1 with errno.
int platform_peer_credentials(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid);

/// SO_PEERGROUPS: the supplementary groups of who called connect, in `bytes` bytes; with room for too few, how many it takes. 0, or -1 with errno.
int platform_peer_groups(int descriptor, gid_t *groups, socklen_t *bytes);

/// An accepted connection, close-on-exec and non-blocking from birth.
int platform_accept(int descriptor);

/// A Unix socket of the given type, close-on-exec and non-blocking from birth.
int platform_unix_socket(int is_datagram);

/// One datagram; the length it had when sent, even if it was longer than the buffer. -1 with errno.
ssize_t platform_receive(int descriptor, void *buffer, size_t capacity);
