/* A server on libuv that sends the bytes of its first connection to its second, and vice versa. It doesn't parse them. */
#include "../bench.h"
#include <uv.h>

static uv_pipe_t server, ends[2];
static int accepted;

static void allocate(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  static char bytes[1 << 16];
  (void)handle, (void)size;
  *buffer = uv_buf_init(bytes, sizeof bytes);
}

static void pass_on(uv_stream_t *from, ssize_t count, const uv_buf_t *buffer) {
  uv_pipe_t *to = (uv_pipe_t *)from == &ends[0] ? &ends[1] : &ends[0];
  if (count < 0) exit(0);
  uv_buf_t bytes = uv_buf_init(buffer->base, (unsigned)count);
  if (count > 0 && uv_try_write((uv_stream_t *)to, &bytes, 1) != count) fail("uv_try_write");
}

static void accept_one(uv_stream_t *stream, int status) {
  if (status != 0 || accepted == 2) return;
  uv_pipe_t *end = &ends[accepted];
  uv_pipe_init(uv_default_loop(), end, 0);
  if (uv_accept(stream, (uv_stream_t *)end) == 0) {
    accepted++;
    uv_read_start((uv_stream_t *)end, allocate, pass_on);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  uv_pipe_init(uv_default_loop(), &server, 0);
  if (uv_pipe_bind(&server, argv[1]) != 0 || uv_listen((uv_stream_t *)&server, 128, accept_one) != 0) return 1;
  return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
