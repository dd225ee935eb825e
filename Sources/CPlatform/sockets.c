#define _GNU_SOURCE
#include "CPlatform/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

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

int platform_internet_socket(int is_ipv6, int is_datagram) {
  return socket(is_ipv6 ? AF_INET6 : AF_INET, (is_datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int platform_connect(int descriptor, const unsigned char *address, size_t count, unsigned short port) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  if (count == sizeof v4.sin_addr) {
    memcpy(&v4.sin_addr, address, count);
    return connect(descriptor, (struct sockaddr *)&v4, sizeof v4);
  }
  if (count != sizeof v6.sin6_addr) return errno = EINVAL, -1;
  memcpy(&v6.sin6_addr, address, count);
  return connect(descriptor, (struct sockaddr *)&v6, sizeof v6);
}

int platform_is_connected_to_itself(int descriptor) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_length = sizeof own, peer_length = sizeof peer;
  return getsockname(descriptor, (struct sockaddr *)&own, &own_length) == 0 &&
         getpeername(descriptor, (struct sockaddr *)&peer, &peer_length) == 0 && own_length == peer_length &&
         memcmp(&own, &peer, own_length) == 0;
}

int platform_is_connected_locally(int descriptor) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_length = sizeof own, peer_length = sizeof peer;
  if (getsockname(descriptor, (struct sockaddr *)&own, &own_length) != 0) return 0;
  if (getpeername(descriptor, (struct sockaddr *)&peer, &peer_length) != 0) return 0;
  if (own.ss_family != peer.ss_family) return 0;
  if (own.ss_family == AF_INET)
    return ((struct sockaddr_in *)&own)->sin_addr.s_addr == ((struct sockaddr_in *)&peer)->sin_addr.s_addr;
  return own.ss_family == AF_INET6 &&
         memcmp(&((struct sockaddr_in6 *)&own)->sin6_addr, &((struct sockaddr_in6 *)&peer)->sin6_addr, 16) == 0;
}

ssize_t platform_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t platform_receive_part(int descriptor, void *buffer, size_t capacity) {
  return recv(descriptor, buffer, capacity, MSG_DONTWAIT);
}

ssize_t platform_receive(int descriptor, void *buffer, size_t capacity) {
  return recv(descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC);
}
