internal import Glibc
package import Platform

/// Reads a regular file, and notices if it changes while it is read.
package enum StableFile {
  /// Why a file has no known contents.
  package enum Failure: Error, Equatable, Sendable {
    /// The file can't be opened, or isn't a regular file.
    case unopened(RegularFileError)
    /// The system refused to read the file.
    case unread(SystemError)
    /// The file was changed while it was read.
    case changed
    /// The reader was told to stop.
    case stopped
  }

  /// The minimum age of a time stamp that shows the next change: the kernel's clock for it advances every 1 to 10 ms.
  private static let tick = Duration.milliseconds(20)
  private static let chunk = 64 * 1024

  /// Reads a file, whose path may be a link, in chunks that are each passed to `body`, which says whether to continue.
  ///
  /// It blocks. If the file was changed just before, it first waits for up to 20 ms, because another change in the same tick of the
  /// kernel's clock wouldn't show.
  package static func read(_ path: String, _ body: (UnsafeRawBufferPointer) -> Bool) throws(Failure) {
    let file: Descriptor
    do { file = try RegularFile.open(path, followsLink: true) } catch { throw .unopened(error) }
    let before = try Stamp(of: file, path)
    let age = Stamp.now - before.changed
    if age >= .zero, age < tick {
      usleep(UInt32((tick - age) / .microseconds(1)))
      guard try Stamp(of: file, path) == before else { throw .changed }
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
    defer { buffer.deallocate() }
    var size = 0
    while true {
      let count = FaultInjection.refuses() ? -1 : Glibc.read(file.number, buffer.baseAddress, chunk)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unread(.last("read", path)) }
      guard count > 0 else { break }
      size += count
      // Reading a file that grows as fast as it is read would never end.
      guard size <= before.size else { throw .changed }
      guard body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { throw .stopped }
    }
    guard try Stamp(of: file, path) == before, size == before.size else { throw .changed }
  }

  /// The attributes that change with a file's contents.
  private struct Stamp: Equatable {
    let size: Int
    let modified: Duration
    let changed: Duration

    init(of file: Descriptor, _ path: String) throws(Failure) {
      var status = stat()
      guard !FaultInjection.refuses(), fstat(file.number, &status) == 0 else { throw .unread(.last("fstat", path)) }
      size = Int(status.st_size)
      modified = Self.duration(status.st_mtim)
      changed = Self.duration(status.st_ctim)
    }

    /// The present by the clock of time stamps.
    static var now: Duration {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return duration(time)
    }

    private static func duration(_ time: timespec) -> Duration {
      .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }
}
