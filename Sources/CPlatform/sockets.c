#define _GNU_SOURCE
#include "CPlatform/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

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

int platform_process_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int platform_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int platform_unix_socket(int is_datagram) {
  return socket(AF_UNIX, (is_datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int platform_internet_socket(int is_ipv6) {
  return socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
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

int platform_internet_end(int descriptor, int is_peer, unsigned char address[16], unsigned short *port) {
  struct sockaddr_storage end = {0};
  socklen_t length = sizeof end;
  int result = is_peer ? getpeername(descriptor, (struct sockaddr *)&end, &length)
                       : getsockname(descriptor, (struct sockaddr *)&end, &length);
  if (result != 0) return -1;
  if (end.ss_family == AF_INET) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)&end;
    memcpy(address, &v4->sin_addr, sizeof v4->sin_addr);
    *port = ntohs(v4->sin_port);
    return sizeof v4->sin_addr;
  }
  if (end.ss_family != AF_INET6) return errno = EAFNOSUPPORT, -1;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&end;
  memcpy(address, &v6->sin6_addr, sizeof v6->sin6_addr);
  *port = ntohs(v6->sin6_port);
  return sizeof v6->sin6_addr;
}

int platform_unix_peer_path(int descriptor, char *path, size_t capacity) {
  struct sockaddr_un peer = {0};
  socklen_t length = sizeof peer;
  if (getpeername(descriptor, (struct sockaddr *)&peer, &length) != 0) return -1;
  if (peer.sun_family != AF_UNIX || length <= offsetof(struct sockaddr_un, sun_path)) return errno = EAFNOSUPPORT, -1;
  size_t most = length - offsetof(struct sockaddr_un, sun_path);
  size_t count = strnlen(peer.sun_path, most < sizeof peer.sun_path ? most : sizeof peer.sun_path);
  if (count > capacity) return errno = ENAMETOOLONG, -1;
  memcpy(path, peer.sun_path, count);
  return (int)count;
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
