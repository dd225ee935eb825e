#pragma once
#include <sys/socket.h>
#include <sys/types.h>

/// Returns the process that called connect (for a client: listen), by SO_PEERCRED. 0, or -1 with errno.
int platform_peer_credentials(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid);

/// Returns the supplementary groups of that process, by SO_PEERGROUPS, in a buffer of `bytes` bytes; if it is too small, the required size.
/// 0, or -1 with errno.
int platform_peer_groups(int descriptor, gid_t *groups, socklen_t *bytes);

/// Returns a pidfd of a running process, close-on-exec; -1 with errno.
int platform_process_open(pid_t pid);

/// Accepts a connection, created close-on-exec and non-blocking.
int platform_accept(int descriptor);

/// Creates a Unix socket of the given type, close-on-exec and non-blocking.
int platform_unix_socket(int is_datagram);

/// Creates an IPv4 or IPv6 socket for TCP, close-on-exec and non-blocking.
int platform_internet_socket(int is_ipv6);

/// Connects such a socket to an address of 4 or 16 bytes; returns 0, or -1 with errno: EINPROGRESS if it continues.
int platform_connect(int descriptor, const unsigned char *address, size_t count, unsigned short port);

/// Returns whether a connected socket is connected to itself: 0 or 1.
int platform_is_connected_to_itself(int descriptor);

/// Stores the address of an end of a connected internet socket, of 4 or 16 bytes, and its port: of this end, or of the peer.
/// Returns the number of bytes of the address, or -1 with errno.
int platform_internet_end(int descriptor, int is_peer, unsigned char address[16], unsigned short *port);

/// Stores the path to which the peer of a connected Unix socket was bound, without a NUL at its end. Returns its length, or -1 with errno.
int platform_unix_peer_path(int descriptor, char *path, size_t capacity);

/// Sends bytes without blocking and without SIGPIPE; returns how many, or -1 with errno.
ssize_t platform_send(int descriptor, const void *bytes, size_t count);

/// Receives bytes without blocking; returns how many, 0 at the end, or -1 with errno. The rest of a longer datagram is lost.
ssize_t platform_receive_part(int descriptor, void *buffer, size_t capacity);

/// Receives a datagram; returns its original length, even if it was longer than the buffer. -1 with errno.
ssize_t platform_receive(int descriptor, void *buffer, size_t capacity);
