/* A server for one worker: for each message it sends COUNT runs, each after the answer to the previous one, and then two events. */
#include "../bench.h"

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  int listener = listen_at(argv[1]), runs = atoi(argv[2]);
  char run[512], event[512], bytes[4096];
  size_t run_length = frame(run, RUN), event_length = frame(event, EVENT);
  for (;;) {
    int worker = accept(listener, NULL, NULL);
    while (read(worker, bytes, sizeof bytes) > 0) {
      for (int i = 0; i < runs; i++) {
        put_bytes(worker, run, run_length);
        if (read(worker, bytes, sizeof bytes) <= 0) return 0;
      }
      put_bytes(worker, event, event_length);
      put_bytes(worker, event, event_length);
    }
    close(worker);
  }
}
