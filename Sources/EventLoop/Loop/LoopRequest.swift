internal import CLibuv

// A request is a one-shot operation of libuv: a write, or a shutdown. Invariant: its memory (with its bytes) and its retained completion are
// created together, and released together when libuv calls back. libuv calls back exactly once for every accepted request, with ECANCELED
// if the handle is closed first.
//
// No request uses libuv's thread pool, because libuv aborts the process if it can't create a thread. See Loop+work.swift.

/// The object that a request's `data` points to.
private final class Completion {
  let run: (CInt) -> Void

  init(_ run: @escaping (CInt) -> Void) { self.run = run }
}

/// Allocates a request with `count` bytes after it, starts it, and calls `completion` once.
///
/// If `start` returns a status other than 0, libuv hasn't accepted it, and `completion` isn't called.
private func startRequest<Raw>(
  _: Raw.Type, bytes: UnsafeRawBufferPointer, completion: @escaping (CInt) -> Void,
  start: (UnsafeMutablePointer<Raw>, UnsafeMutableRawBufferPointer) -> CInt
) -> CInt {
  let header = (MemoryLayout<Raw>.size + 15) & ~15
  let memory = UnsafeMutableRawPointer.allocate(byteCount: header + bytes.count, alignment: 16)
  memory.initializeMemory(as: UInt8.self, repeating: 0, count: header)
  let payload = UnsafeMutableRawBufferPointer(start: memory + header, count: bytes.count)
  payload.copyMemory(from: bytes)
  let data = Unmanaged.passRetained(Completion(completion))
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
