#define _GNU_SOURCE
#include "CPlatform/sockets.h"

#include <stddef.h>

int platform_peer_credentials(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid) {
  struct ucred credentials = {0};
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  *pid = credentials.pid;
  *uid = credentials.uid;
  *gid = credentials.gid;
  return 0;
}

int platform_peer_groups(int descriptor, gid_t *groups, socklen_t *bytes) {
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, bytes);
}

int platform_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int platform_unix_socket(int is_datagram) {
  return socket(AF_UNIX, (is_datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

ssize_t platform_receive(int descriptor, void *buffer, size_t capacity) {
  return recv(descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC);
}
