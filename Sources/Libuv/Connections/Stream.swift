internal import CLibuv
internal import Glibc
public import Platform

/// A connected Unix socket, or an end of a pipe, on a loop.
///
/// It is made paused: set the callbacks, then call ``resumeReading()``. Callbacks are dropped at ``close()``, none comes
/// after it, and none holds the stream's own memory hostage: what reading handed out is good during the callback only.
public final class Stream {
  /// What has been read, good until the callback returns, never empty and at most 16 KiB. As long as there is more and
  /// reading isn't paused, libuv calls up to 32 times a turn: pause to give others theirs.
  public var onRead: ((UnsafeRawBufferPointer) -> Void)?
  /// The peer will send no more. Reading has ended; writing may go on.
  public var onEnd: (() -> Void)?
  /// Reading or writing failed, told once. Later writes are dropped; close the stream.
  public var onError: ((SystemError) -> Void)?
  /// Everything that had to be queued is with the kernel.
  public var onDrain: (() -> Void)?

  private let handle: LoopHandle<uv_pipe_t>
  private var isFinishing = false
  private var hasFailed = false
  private var hasEnded = false
  /// What comes while a write is on its way: it is one write afterwards, so that many small ones take no more memory than their bytes.
  private var pending: [UInt8] = []

  /// A paused stream over an open socket or pipe end, which it owns from now on, also if this throws.
  public init(loop: Loop, descriptor: Descriptor, name: String = "stream") throws(SystemError) {
    // ipc is 0: no descriptors from peers.
    handle = try LoopHandle(name, on: loop, call: "uv_pipe_init") { uv_pipe_init($0, $1, 0) }
    handle.setOwner(self)
    let number = descriptor.release()
    let status = handle.pointer.map { pipe in Seam.status(uv_pipe_open(pipe, number)) } ?? 0
    guard status == 0 else {
      if number >= 0 { _ = Glibc.close(number) }
      throw .uv("uv_pipe_open", status, name)
    }
  }

  /// Bytes written that the kernel hasn't taken. The kernel itself holds up to some 200 KB for a peer that doesn't read.
  public var queuedBytes: Int { pending.count + inFlight }

  private var inFlight: Int { raw.map { uv_stream_get_write_queue_size($0) } ?? 0 }

  /// Whether it was closed.
  public var isClosed: Bool { handle.pointer == nil }

  /// Reads from now on, until ``pauseReading()``, the end, or an error.
  public func resumeReading() {
    handle.loop.preconditionCurrent()
    guard let raw, !hasEnded, !hasFailed else { return }
    let status = uv_read_start(
      raw,
      { raw, _, buffer in
        guard let stream = Stream.owner(of: raw) else { return }
        let memory = stream.handle.loop.readBuffer
        buffer?.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self), CUnsignedInt(memory.count))
      },
      { raw, count, buffer in
        Stream.owner(of: raw)?.read(count, buffer?.pointee.base)
      })
    if status != 0, status != UV_EALREADY.rawValue { fail(.uv("uv_read_start", status)) }
  }

  /// Reads no more for now; effective at once, also in ``onRead``.
  public func pauseReading() {
    handle.loop.preconditionCurrent()
    if let raw { uv_read_stop(raw) }
  }

  /// Writes all of `bytes`: what the kernel takes at once, the rest queued without a bound (look at ``queuedBytes``).
  /// Failures are told by ``onError`` later, never from within. After ``finishWriting(then:)``, an error or ``close()``
  /// bytes are dropped.
  public func write(_ bytes: [UInt8]) {
    handle.loop.preconditionCurrent()
    guard let raw, !isFinishing, !hasFailed, !bytes.isEmpty else { return }
    guard inFlight == 0 else {
      pending += bytes
      return
    }
    bytes.withUnsafeBytes { bytes in
      var buffer = uv_buf_init(
        UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self)),
        CUnsignedInt(bytes.count))
      let written = max(0, Int(uv_try_write(raw, &buffer, 1)))
      guard written < bytes.count else { return }
      // An error of the first attempt comes back here, and from here asynchronously.
      queue(raw, UnsafeRawBufferPointer(rebasing: bytes[written...]))
    }
  }

  private func queue(_ raw: UnsafeMutablePointer<uv_stream_t>, _ bytes: UnsafeRawBufferPointer) {
    guard !Seam.refuses() else { return failLater(.last("write")) }
    let status = queueWrite(raw, bytes) { [weak self] status in self?.wrote(status) }
    if status != 0 { failLater(.uv("write", status)) }
  }

  private func queuePending() {
    guard let raw, !pending.isEmpty else { return }
    let bytes = pending
    pending = []
    bytes.withUnsafeBytes { queue(raw, $0) }
  }

  /// Sends the end behind everything written, so that the peer reads to it; reading goes on.
  ///
  /// `completion` is called when all is with the kernel, or can't be; not after ``close()``. A pipe's end, which can do
  /// nothing else, is closed then.
  public func finishWriting(then completion: @escaping () -> Void = {}) {
    handle.loop.preconditionCurrent()
    guard let raw, !isFinishing else { return }
    isFinishing = true
    queuePending()
    let status = queueShutdown(raw) { [weak self] status in
      guard let self, !isClosed else { return }
      if status == UV_ENOTSOCK.rawValue { close() }
      completion()
    }
    if status != 0 { completion() }
  }

  /// Closes the descriptor at once, whatever is queued; any number of times. Dropping the stream does the same.
  public func close() {
    handle.close()
    pending = []
    (onRead, onEnd, onError, onDrain) = (nil, nil, nil, nil)
  }

  private var raw: UnsafeMutablePointer<uv_stream_t>? {
    handle.pointer.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: uv_stream_t.self) }
  }

  private static func owner<Raw>(of raw: UnsafeMutablePointer<Raw>?) -> Stream? {
    LoopHandle.owner(of: raw, as: Stream.self)
  }

  private func read(_ count: Int, _ memory: UnsafeMutablePointer<CChar>?) {
    switch count {
    case 1...: onRead?(UnsafeRawBufferPointer(start: memory, count: count))
    // The kernel had nothing after all; not the end.
    case 0: return
    case Int(UV_EOF.rawValue):
      hasEnded = true
      onEnd?()
    default: fail(.uv("read", CInt(count)))
    }
  }

  private func wrote(_ status: CInt) {
    guard !isClosed else { return }
    if status != 0 {
      fail(.uv("write", status))
    } else if inFlight == 0 {
      if pending.isEmpty { onDrain?() } else { queuePending() }
    }
  }

  /// A write can't even be queued. Its caller may be in the middle of something else.
  private func failLater(_ error: SystemError) {
    guard !hasFailed else { return }
    hasFailed = true
    // The stream is used on the loop's thread only.
    nonisolated(unsafe) let stream = self
    handle.loop.perform { stream.onError?(error) }
  }

  private func fail(_ error: SystemError) {
    guard !hasFailed else { return }
    hasFailed = true
    onError?(error)
  }
}
