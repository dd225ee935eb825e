/* A server on libuv that sends one message to all its other connections when a connection sends anything. */
#include "../bench.h"
#include <uv.h>

static uv_pipe_t server, **connections;
static size_t count, capacity;
static char message[512];
static size_t message_length;

static void allocate(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  static char bytes[1 << 12];
  (void)handle, (void)size;
  *buffer = uv_buf_init(bytes, sizeof bytes);
}

static void released(uv_handle_t *handle) { free(handle); }

static void broadcast(uv_stream_t *from, ssize_t length, const uv_buf_t *buffer) {
  (void)buffer;
  if (length < 0) {
    for (size_t i = 0; i < count; i++) {
      if (connections[i] == (uv_pipe_t *)from) connections[i] = connections[--count];
    }
    uv_close((uv_handle_t *)from, released);
    return;
  }
  uv_buf_t bytes = uv_buf_init(message, (unsigned)message_length);
  for (size_t i = 0; i < count && length > 0; i++) {
    if (connections[i] != (uv_pipe_t *)from) uv_try_write((uv_stream_t *)connections[i], &bytes, 1);
  }
}

static void accept_one(uv_stream_t *stream, int status) {
  uv_pipe_t *connection = malloc(sizeof *connection);
  if (status != 0 || connection == NULL) fail("accept");
  uv_pipe_init(uv_default_loop(), connection, 0);
  if (uv_accept(stream, (uv_stream_t *)connection) != 0) fail("accept");
  if (count == capacity) {
    capacity = capacity == 0 ? 16 : 2 * capacity;
    connections = realloc(connections, capacity * sizeof *connections);
  }
  connections[count++] = connection;
  uv_read_start((uv_stream_t *)connection, allocate, broadcast);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  message_length = frame(message, EVENT);
  uv_pipe_init(uv_default_loop(), &server, 0);
  if (uv_pipe_bind(&server, argv[1]) != 0 || uv_listen((uv_stream_t *)&server, 4096, accept_one) != 0) return 1;
  return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
