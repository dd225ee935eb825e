internal import CLibuv

// A request is libuv's one-shot: a write, a shutdown. Its law is shorter than a handle's: the memory (with the bytes it
// speaks of behind it) and the retained completion are made together, and both go when libuv calls back, which it does
// exactly once for every request it took, if need be with ECANCELED when the handle closes.

/// What a request's `data` points to: what to do with its status.
private final class Completion {
  let run: (CInt) -> Void
  init(_ run: @escaping (CInt) -> Void) { self.run = run }
}

/// Allocates a request with `count` bytes behind it, starts it, and calls `completion` once; a status other than 0 from
/// `start` means libuv didn't take it, and `completion` is never called.
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

/// Called by libuv: frees the request, then tells its completion.
private func finishRequest(_ memory: UnsafeMutableRawPointer?, _ status: CInt) {
  guard let memory, let data = memory.assumingMemoryBound(to: uv_req_t.self).pointee.data else { return }
  let completion = Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
  memory.deallocate()
  completion.run(status)
}

/// Queues a copy of `bytes` to be written. Returns 0, or libuv's error, and then `completion` isn't called.
func queueWrite(
  _ stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: UnsafeRawBufferPointer, completion: @escaping (CInt) -> Void
) -> CInt {
  startRequest(uv_write_t.self, bytes: bytes, completion: completion) { request, payload in
    var buffer = uv_buf_init(payload.baseAddress?.assumingMemoryBound(to: CChar.self), CUnsignedInt(payload.count))
    return uv_write(request, stream, &buffer, 1) { finishRequest($0, $1) }
  }
}

/// Queues the end of the stream behind all writes. Returns 0, or libuv's error, and then `completion` isn't called.
func queueShutdown(_ stream: UnsafeMutablePointer<uv_stream_t>, completion: @escaping (CInt) -> Void) -> CInt {
  startRequest(uv_shutdown_t.self, bytes: UnsafeRawBufferPointer(start: nil, count: 0), completion: completion) {
    request, _ in uv_shutdown(request, stream) { finishRequest($0, $1) }
  }
}
