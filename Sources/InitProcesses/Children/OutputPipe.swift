package import EventLoop
internal import Glibc
package import Platform

/// The reading end of a command's standard output or error.
///
/// The pipe is read when the loop finds data: at most 64 KiB per turn, and less if these are many lines, so others get their turn. When the
/// command has exited, the data in the pipe is read at once, so its last lines are available. Output of processes that it left behind is
/// read until the pipe is closed.
package final class OutputPipe {
  private static let bytesPerTurn = 64 * 1024
  /// The maximum number of bytes in a read: all its lines are reported, even if they are more than a turn may read.
  private static let bytesPerRead = 4 * 1024
  /// After this number of lines, no more is read in a turn.
  private static let linesPerTurn = 500

  private let loop: Loop
  private let descriptor: Descriptor
  private var watch: ReadWatch?
  private var splitter: LineSplitter
  private let onLine: ([UInt8]) -> Void
  /// Whether the pipe is at its end, or closed.
  package private(set) var isClosed = false

  /// Reads from `descriptor`, which the pipe owns and makes non-blocking, until it is closed or at its end.
  package init(
    loop: Loop, descriptor: Descriptor, lineLimit: Int, onLine: @escaping ([UInt8]) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.descriptor = descriptor
    self.splitter = LineSplitter(limit: lineLimit)
    self.onLine = onLine
    var isNonBlocking: Int32 = 1
    guard !FaultInjection.refuses(), ioctl(descriptor.number, UInt(FIONBIO), &isNonBlocking) == 0 else {
      throw .last("ioctl", "output")
    }
    watch = try ReadWatch(loop: loop, descriptor: descriptor, name: "output") { [weak self] in
      self?.read(atMost: Self.bytesPerTurn, lines: Self.linesPerTurn)
    }
  }

  /// Reads the data in the pipe now, up to the default capacity of a pipe, because the command has exited.
  ///
  /// Reads the remaining output. Text without a newline is the last line, even if another process continues to write.
  package func drain() {
    let isDry = read(atMost: Self.bytesPerTurn + 1, lines: .max)
    if isDry, !isClosed { splitter.finish(line: onLine) }
  }

  /// Stops reading, and reports the remaining text without a newline.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    splitter.finish(line: onLine)
    watch?.close()
  }

  /// - Returns: whether there was no more to read.
  @discardableResult
  private func read(atMost limit: Int, lines limitOfLines: Int) -> Bool {
    guard !isClosed else { return true }
    var left = limit
    var lines = 0
    var isDry = false
    loop.withMemory { buffer in
      while left > 0, lines < limitOfLines, !isDry {
        let count = Glibc.read(descriptor.number, buffer.baseAddress, min(left, Self.bytesPerRead))
        if count > 0 {
          splitter.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
            lines += 1
            onLine(line)
          }
          left -= count
        } else if count == 0 || errno != EINTR {
          isDry = true
          if count == 0 || errno != EAGAIN { close() }
        }
      }
    }
    return isDry
  }
}
