internal import CLibuv
internal import Glibc
public import Platform

/// A connected Unix socket, or an end of a pipe, on a loop.
///
/// A stream is created paused: set the callbacks, then call ``resumeReading()``. After ``close()`` no callback is called. The bytes passed
/// to a callback are valid only during the callback.
public final class Stream {
  // A write reads these fields: the first fields share one cache line.
  private let handle: LoopHandle<uv_pipe_t>
  private var isFinishing = false
  private var hasFailed = false
  private var hasEnded = false
  /// Bytes that wait until the loop polls, or until the write in flight has ended: they become one write, so many small writes need no
  /// extra memory.
  private var pending: [UInt8] = []
  /// The memory of the writes that the kernel hasn't accepted.
  private var requestBytes = 0

  /// Called with read bytes, valid until the callback returns, never empty and at most 16 KiB.
  ///
  /// If there is more data and reading isn't paused, libuv calls it up to 32 times per turn: pause the reading so that other streams have
  /// their turn.
  public var onRead: ((UnsafeRawBufferPointer) -> Void)?
  /// The peer has ended its side.
  ///
  /// Reading has ended; writing may continue.
  public var onEnd: (() -> Void)?
  /// Reading or writing failed; called once.
  ///
  /// Later writes are dropped; close the stream.
  public var onError: ((SystemError) -> Void)?
  /// The queue has been passed to the kernel.
  public var onDrain: (() -> Void)?

  /// The process that listens, if this has connected to a Unix socket, as the kernel knows it.
  public internal(set) var peer: PeerCredentials?

  /// A write of this number of bytes or more is sent at once; smaller ones wait until the loop polls.
  static let gatheredBytes = 16 * 1024
  /// The memory of a write, without its bytes: libuv's request, and its completion.
  private static let bytesOfRequest = 384

  /// Creates a paused stream for an open socket or pipe end, and takes ownership of it, even if this throws.
  public init(loop: Loop, descriptor: Descriptor, name: String = "stream") throws(SystemError) {
    // ipc is 0: no descriptors from peers.
    handle = try LoopHandle(name, on: loop, call: "uv_pipe_init") { uv_pipe_init($0, $1, 0) }
    handle.setOwner(self)
    let number = descriptor.release()
    let status = handle.pointer.map { pipe in FaultInjection.status(uv_pipe_open(pipe, number)) } ?? 0
    guard status == 0 else {
      if number >= 0 { _ = Glibc.close(number) }
      throw .uv("uv_pipe_open", status, name)
    }
  }

  /// The written bytes that the kernel hasn't accepted, without those that it gets before the loop polls.
  ///
  /// The kernel itself buffers about 200 KB for a peer that doesn't read.
  public var queuedBytes: Int {
    let inFlight = inFlight
    return inFlight == 0 ? 0 : pending.count + inFlight
  }

  /// The memory of ``queuedBytes``: more than these, because a partly accepted write keeps all of its memory, and an array has room.
  public var heldBytes: Int { requestBytes == 0 ? 0 : requestBytes + pending.capacity }

  private var inFlight: Int { raw?.pointee.write_queue_size ?? 0 }

  /// Whether the stream was closed.
  public var isClosed: Bool { handle.pointer == nil }

  /// Starts reading, until ``pauseReading()``, the end, or an error.
  public func resumeReading() {
    handle.loop.preconditionCurrent()
    guard let raw, !hasEnded, !hasFailed else { return }
    let status = uv_read_start(
      raw,
      { raw, _, buffer in
        guard let memory = Loop.of(raw?.pointee.loop)?.readBuffer else { return }
        buffer?.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self), CUnsignedInt(memory.count))
      },
      { raw, count, buffer in
        Stream.owner(of: raw)?.read(count, buffer?.pointee.base)
      })
    if status != 0, status != UV_EALREADY.rawValue { fail(.uv("uv_read_start", status)) }
  }

  /// Pauses reading; effective at once, even in ``onRead``.
  public func pauseReading() {
    handle.loop.preconditionCurrent()
    if let raw { uv_read_stop(raw) }
  }

  /// Writes all of `bytes`: the kernel takes as many as it can, the others are queued without a bound (see ``queuedBytes``).
  ///
  /// Small writes wait until the loop polls, and then become one system call. Failures are reported later by ``onError``, never during this
  /// call. After ``finishWriting(then:)``, an error or ``close()`` bytes are dropped.
  public func write(_ bytes: [UInt8]) {
    let loop = handle.loop
    loop.preconditionCurrent()
    guard let raw, !isFinishing, !hasFailed, !bytes.isEmpty else { return }
    guard bytes.count < Self.gatheredBytes || inFlight > 0 else {
      writePending()
      bytes.withUnsafeBytes { if inFlight > 0 { gather($0) } else { writeNow(raw, $0) } }
      return
    }
    if pending.isEmpty {
      pending = bytes
      if inFlight == 0 { loop.writers.append(self) }
    } else {
      bytes.withUnsafeBytes { gather($0) }
      if pending.count >= Self.gatheredBytes { writePending() }
    }
  }

  /// Adds bytes to the pending bytes.
  ///
  /// A large buffer grows by a quarter, not to twice its size: the streams of many subscribers grow at once.
  private func gather(_ bytes: UnsafeRawBufferPointer) {
    let needed = pending.count + bytes.count
    if needed > pending.capacity, needed > Self.gatheredBytes { pending.reserveCapacity(needed + needed / 4) }
    pending.append(contentsOf: bytes)
  }

  /// Writes bytes that many streams get: they are copied only if others wait before them, or if the kernel doesn't take them now.
  ///
  /// Writes bytes like ``write(_:)-([UInt8])``, but without waiting until the loop polls: call this in ``Loop/performAtEndOfTurn(_:)``.
  public func write(shared bytes: UnsafeRawBufferPointer) {
    guard let raw, !isFinishing, !hasFailed, !bytes.isEmpty else { return }
    if pending.isEmpty, inFlight == 0 { writeNow(raw, bytes) } else { gather(bytes) }
  }

  /// Passes the bytes that wait for the poll to the kernel.
  func writePending() {
    guard let raw, !hasFailed, !pending.isEmpty, inFlight == 0 else { return }
    let bytes = pending
    pending = []
    bytes.withUnsafeBytes { writeNow(raw, $0) }
  }

  private func writeNow(_ raw: UnsafeMutablePointer<uv_stream_t>, _ bytes: UnsafeRawBufferPointer) {
    var buffer = uv_buf_init(
      UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self)), CUnsignedInt(bytes.count))
    let written = max(0, Int(uv_try_write(raw, &buffer, 1)))
    guard written < bytes.count else { return }
    // An error of the first attempt is returned here, and reported asynchronously.
    queue(raw, UnsafeRawBufferPointer(rebasing: bytes[written...]))
  }

  private func queue(_ raw: UnsafeMutablePointer<uv_stream_t>, _ bytes: UnsafeRawBufferPointer) {
    guard !FaultInjection.refuses() else { return failLater(.last("write")) }
    let size = bytes.count + Self.bytesOfRequest
    let status = queueWrite(raw, bytes) { [weak self] status in
      self?.requestBytes -= size
      self?.wrote(status)
    }
    guard status == 0 else { return failLater(.uv("write", status)) }
    requestBytes += size
  }

  private func queuePending() {
    guard let raw, !pending.isEmpty else { return }
    let bytes = pending
    pending = []
    bytes.withUnsafeBytes { queue(raw, $0) }
  }

  /// Ends the writing side after all written bytes; reading continues.
  ///
  /// `completion` is called when the kernel has accepted all bytes, or after an error; not after ``close()``. Then a pipe's writing end is
  /// closed.
  public func finishWriting(then completion: @escaping () -> Void = {}) {
    handle.loop.preconditionCurrent()
    guard let raw, !isFinishing else { return }
    writePending()
    isFinishing = true
    queuePending()
    let status = queueShutdown(raw) { [weak self] status in
      guard let self, !isClosed else { return }
      if status == UV_ENOTSOCK.rawValue { close() }
      completion()
    }
    if status != 0 { completion() }
  }

  /// Closes the descriptor at once, even if bytes are queued.
  ///
  /// Further calls have no effect; deinit does the same.
  public func close() {
    writePending()
    handle.close()
    pending = []
    onRead = nil
    onEnd = nil
    onError = nil
    onDrain = nil
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
    // The kernel had no data (EAGAIN); this isn't the end.
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

  /// Reports later that a write can't be queued, because the caller may not expect callbacks now.
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
