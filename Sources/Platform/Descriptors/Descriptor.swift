internal import CPlatform
internal import Glibc
internal import Synchronization

/// A file descriptor that somebody owns: closed when the last reference goes, or before.
public final class Descriptor: Sendable {
  private let owned: Atomic<Int32>

  /// Takes over an open descriptor; nobody else may close it from now on.
  public init(owning number: Int32) {
    owned = Atomic(number)
  }

  deinit { close() }

  /// The system's number, or -1 once it is closed or given away.
  public var number: Int32 { owned.load(ordering: .acquiring) }

  /// Closes it; any number of times.
  public func close() {
    let number = release()
    if number >= 0 { _ = Glibc.close(number) }
  }

  /// Gives the number away: whoever called this must close it. -1 if it was closed or given away before.
  public func release() -> Int32 {
    owned.exchange(-1, ordering: .acquiringAndReleasing)
  }

  /// What a file holds from where it stands: to its end, but no more than so many bytes.
  ///
  /// - Parameters:
  ///   - most: how many bytes are read at most.
  ///   - subject: what it is, for the error.
  /// - Throws: why it can't be read.
  package func contents(upTo most: Int, _ subject: String) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(most, 64 * 1024))
    while bytes.count < most {
      let count = Glibc.read(number, &buffer, min(buffer.count, most - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last("read", subject) }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// A new pipe. Both ends are close-on-exec, block, and have numbers above those of the standard streams.
  /// Throws when descriptors have run out.
  public static func pipe() throws(SystemError) -> (read: Descriptor, write: Descriptor) {
    var ends: (Int32, Int32) = (-1, -1)
    let status =
      Seam.refuses()
      ? -1 : withUnsafeMutableBytes(of: &ends) { platform_pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self)) }
    guard status == 0 else { throw .last("pipe2") }
    let read = Descriptor(owning: ends.0)
    let write = Descriptor(owning: ends.1)
    return (try read.aboveStandardStreams(), try write.aboveStandardStreams())
  }

  /// `/dev/null`, close-on-exec, to read and write. Throws when there is none, or no descriptor.
  public static func openNull() throws(SystemError) -> Descriptor {
    let number = Seam.refuses() ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC)
    guard number >= 0 else { throw .last("open", "/dev/null") }
    return try Descriptor(owning: number).aboveStandardStreams()
  }

  /// Something to read from that is at its end: `/dev/null`, or, in a root directory that has none, a pipe that nobody writes to.
  /// Close-on-exec. Throws when descriptors have run out.
  package static func openAtEnd() throws(SystemError) -> Descriptor {
    let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard number < 0 else { return try Descriptor(owning: number).aboveStandardStreams() }
    return try pipe().read
  }

  /// Itself, or a duplicate if a closed standard stream lent it its number: a child would get the wrong thing there.
  private func aboveStandardStreams() throws(SystemError) -> Descriptor {
    guard number < 3 else { return self }
    let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard duplicate >= 0 else { throw .last("fcntl") }
    return Descriptor(owning: duplicate)
  }
}
