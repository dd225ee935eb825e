internal import CLibuv

// A request is a one-shot operation of libuv: a write, a shutdown, a query about a file. Invariant: its memory (with its bytes) and its
// retained completion are created together, and released together when libuv calls back. libuv calls back exactly once for every accepted
// request, with ECANCELED if the handle is closed first.

/// The object that a request's `data` points to: its completion, and its work for another thread if it has any.
private final class Completion {
  let run: (CInt) -> Void
  let work: (@Sendable () -> Void)?

  init(_ run: @escaping (CInt) -> Void, work: (@Sendable () -> Void)?) {
    self.run = run
    self.work = work
  }
}

/// Allocates a request with `count` bytes after it, starts it, and calls `completion` once.
///
/// If `start` returns a status other than 0, libuv hasn't accepted it, and `completion` isn't called.
private func startRequest<Raw>(
  _: Raw.Type, bytes: UnsafeRawBufferPointer, work: (@Sendable () -> Void)? = nil,
  completion: @escaping (CInt) -> Void,
  start: (UnsafeMutablePointer<Raw>, UnsafeMutableRawBufferPointer) -> CInt
) -> CInt {
  let header = (MemoryLayout<Raw>.size + 15) & ~15
  let memory = UnsafeMutableRawPointer.allocate(byteCount: header + bytes.count, alignment: 16)
  memory.initializeMemory(as: UInt8.self, repeating: 0, count: header)
  let payload = UnsafeMutableRawBufferPointer(start: memory + header, count: bytes.count)
  payload.copyMemory(from: bytes)
  let data = Unmanaged.passRetained(Completion(completion, work: work))
  memory.assumingMemoryBound(to: uv_req_t.self).pointee.data = data.toOpaque()
  let status = start(memory.assumingMemoryBound(to: Raw.self), payload)
  if status != 0 {
    data.release()
    memory.deallocate()
  }
  return status
}

/// Frees the request, then calls its completion.
///
/// Finishes a request, when libuv calls it.
private func finishRequest(_ memory: UnsafeMutableRawPointer?, _ status: CInt) {
  guard let memory, let data = memory.assumingMemoryBound(to: uv_req_t.self).pointee.data else { return }
  let completion = Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
  memory.deallocate()
  completion.run(status)
}

/// Queues a write of a copy of `bytes`.
///
/// Returns 0, or libuv's error; then `completion` isn't called.
func queueWrite(
  _ stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: UnsafeRawBufferPointer, completion: @escaping (CInt) -> Void
) -> CInt {
  startRequest(uv_write_t.self, bytes: bytes, completion: completion) { request, payload in
    var buffer = uv_buf_init(payload.baseAddress?.assumingMemoryBound(to: CChar.self), CUnsignedInt(payload.count))
    return uv_write(request, stream, &buffer, 1) { finishRequest($0, $1) }
  }
}

/// Queues the end of the stream after all writes.
///
/// Returns 0, or libuv's error; then `completion` isn't called.
func queueShutdown(_ stream: UnsafeMutablePointer<uv_stream_t>, completion: @escaping (CInt) -> Void) -> CInt {
  startRequest(uv_shutdown_t.self, bytes: UnsafeRawBufferPointer(start: nil, count: 0), completion: completion) {
    request, _ in uv_shutdown(request, stream) { finishRequest($0, $1) }
  }
}

/// Queues a query for the status of a file, in a thread of libuv's: a file system may be away.
///
/// Returns 0, or libuv's error; then `completion` isn't called. It is called with 0, or why there is no file.
func queueStatus(_ loop: UnsafeMutablePointer<uv_loop_t>, _ path: String, completion: @escaping (CInt) -> Void) -> CInt
{
  startRequest(uv_fs_t.self, bytes: UnsafeRawBufferPointer(start: nil, count: 0), completion: completion) {
    request, _ in
    uv_fs_stat(loop, request, path) { request in
      let status = CInt(clamping: request?.pointee.result ?? 0)
      uv_fs_req_cleanup(request)
      finishRequest(request, status)
    }
  }
}

/// Queues work for a thread of libuv's.
///
/// Returns 0, or libuv's error; then neither function is called. `completion` is called with 0 when `work` has returned.
func queueWork(
  _ loop: UnsafeMutablePointer<uv_loop_t>, _ work: @escaping @Sendable () -> Void, completion: @escaping (CInt) -> Void
) -> CInt {
  startRequest(
    uv_work_t.self, bytes: UnsafeRawBufferPointer(start: nil, count: 0), work: work, completion: completion
  ) { request, _ in
    uv_queue_work(
      loop, request,
      { request in
        guard let data = request?.pointee.data else { return }
        Unmanaged<Completion>.fromOpaque(data).takeUnretainedValue().work?()
      },
      { finishRequest($0, $1) })
  }
}
