internal import CPlatform
internal import Glibc
internal import Synchronization

/// An owned file descriptor: closed with the last reference, or earlier.
public final class Descriptor: Sendable {
  private let owned: Atomic<Int32>

  /// Takes ownership of an open descriptor; no other code may close it any more.
  public init(owning number: Int32) {
    owned = Atomic(number)
  }

  deinit { close() }

  /// The descriptor's number, or -1 once it is closed or released.
  public var number: Int32 { owned.load(ordering: .acquiring) }

  /// Closes it.
  ///
  /// Further calls have no effect.
  public func close() {
    let number = release()
    if number >= 0 { _ = Glibc.close(number) }
  }

  /// Releases ownership: the caller must close the number.
  ///
  /// Returns the descriptor, which the caller owns from then on; -1 if it was already closed or released.
  public func release() -> Int32 {
    owned.exchange(-1, ordering: .acquiringAndReleasing)
  }

  /// Reads a file from its current position to its end, but at most `most` bytes.
  ///
  /// `most` is the maximum number of bytes, and `step` the number of bytes in one read. `subject` is the name of the descriptor, for the
  /// error. Throws why it can't be read.
  package func contents(upTo most: Int, _ subject: String, by step: Int = 64 * 1024) throws(SystemError) -> [UInt8] {
    try withUnsafeTemporaryAllocation(byteCount: min(most, step), alignment: 1) { buffer throws(SystemError) in
      var bytes: [UInt8] = []
      while bytes.count < most {
        let count = Glibc.read(number, buffer.baseAddress, min(buffer.count, most - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .last("read", subject) }
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return bytes
    }
  }

  /// Creates a pipe.
  ///
  /// Both ends are close-on-exec and blocking, and have numbers above those of the standard streams. Throws when descriptors have run out.
  public static func pipe() throws(SystemError) -> (read: Descriptor, write: Descriptor) {
    var ends: (Int32, Int32) = (-1, -1)
    let status =
      FaultInjection.refuses()
      ? -1 : withUnsafeMutableBytes(of: &ends) { platform_pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self)) }
    guard status == 0 else { throw .last("pipe2") }
    let read = Descriptor(owning: ends.0)
    let write = Descriptor(owning: ends.1)
    return (try read.aboveStandardStreams(), try write.aboveStandardStreams())
  }

  /// Opens `/dev/null`, close-on-exec, to read and write.
  ///
  /// Throws if the file is missing, or no descriptor is free.
  public static func openNull() throws(SystemError) -> Descriptor {
    let number = FaultInjection.refuses() ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC)
    guard number >= 0 else { throw .last("open", "/dev/null") }
    return try Descriptor(owning: number).aboveStandardStreams()
  }

  /// Opens an empty input: `/dev/null`, or a pipe without writers in a root directory without `/dev/null`.
  ///
  /// Close-on-exec. Throws when descriptors have run out.
  package static func openAtEnd() throws(SystemError) -> Descriptor {
    let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard number < 0 else { return try Descriptor(owning: number).aboveStandardStreams() }
    return try pipe().read
  }

  /// Returns itself, or a duplicate if it has the number of a closed standard stream: otherwise a child would inherit it as that stream.
  private func aboveStandardStreams() throws(SystemError) -> Descriptor {
    guard number < 3 else { return self }
    let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard duplicate >= 0 else { throw .last("fcntl") }
    return Descriptor(owning: duplicate)
  }
}
