internal import Glibc
internal import InitLocks

// Invariant: a log that isn't read never blocks the program. A line that can't be written at once is queued, up to `room` bytes in all;
// further lines are lost, which is reported once the log is read again. The descriptor may be shared with other processes, so it isn't made
// non-blocking: a pipe or a terminal is reopened, a socket is sent to without waiting, and otherwise it is polled before each write.

/// Standard error for a log, or another descriptor for lines: writing never waits for its reader.
///
/// All methods may be called from any thread.
public final class LogStream: Sendable {
  /// The size of the queue in bytes.
  public static let room = 256 * 1024
  /// The interval of retries while bytes are queued.
  public static let interval = Duration.milliseconds(20)

  private enum Way: Sendable {
    /// Writing never blocks: the target is a file, or a file description of our own.
    case plain(Descriptor?)
    case socket
    /// Writing may block, so the descriptor is polled before.
    case asked
  }

  private struct State {
    var pending: [UInt8] = []
    var lost = 0
    /// The report of lost lines couldn't be written yet.
    var owesNotice = false
    /// Whether the last write ended within a line.
    var isMidLine = false
    /// How many bytes may be written before the size of the file is looked at.
    var left = 0
    /// Requests a retry; nil while one is requested, or if there is no handler.
    var wake: (@Sendable () -> Void)?

    /// Whether the queue is empty.
    var isDrained: Bool { pending.isEmpty && !owesNotice }
  }

  private let number: Int32
  private let way: Way
  private let file: String?
  private let lostLine: @Sendable (Int) -> String
  private let state = Locked(State())

  /// Opens a descriptor.
  ///
  /// - Parameters:
  ///   - number: the number of the descriptor; by default standard error.
  ///   - lostLine: makes the line that reports the number of lost lines.
  public convenience init(to number: Int32 = 2, lostLine: @escaping @Sendable (Int) -> String) {
    self.init(to: number, file: nil, lostLine: lostLine)
  }

  /// Opens a descriptor; `file` is the path of the file that it is, if ``LogFile`` renames it.
  package init(to number: Int32 = 2, file: String?, lostLine: @escaping @Sendable (Int) -> String) {
    self.number = number
    self.file = file
    self.lostLine = lostLine
    var status = stat()
    let kind = fstat(number, &status) == 0 ? status.st_mode & S_IFMT : 0
    switch kind {
    case S_IFIFO, S_IFCHR:
      let own = open("/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      way = own >= 0 ? .plain(Descriptor(owning: own)) : .asked
    case S_IFSOCK: way = .socket
    default: way = .plain(nil)
    }
  }

  /// Writes a line, or as much of it as possible, and queues the rest.
  public func write(_ line: String) { write(line: line.utf8) }

  /// Writes a line that may not be text.
  public func write(line bytes: some Collection<UInt8>) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      flush(&state)
      // After one lost line, all further lines are lost until the loss is reported; otherwise the order would be misleading.
      if state.lost == 0, state.pending.count + bytes.count < Self.room {
        state.pending += bytes
        state.pending.append(UInt8(ascii: "\n"))
        flush(&state)
      } else {
        state.lost += 1
      }
      guard !state.isDrained else { return nil }
      defer { state.wake = nil }
      return state.wake
    }
    wake?()
  }

  /// Sets the handler that is called once when bytes are queued; nil for none.
  ///
  /// The handler may be called on any thread.
  package func onPending(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

  /// Writes the queue, for at most this duration: for the end of a program.
  public func finish(within patience: Duration = .seconds(1)) {
    let end = ContinuousClock.now + patience
    while !isDrained, ContinuousClock.now < end {
      var ready = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      _ = poll(&ready, 1, 20)
    }
  }

  /// Retries once, and returns whether the queue is empty.
  package var isDrained: Bool {
    state.withLock { state in
      flush(&state)
      return state.isDrained
    }
  }

  private func flush(_ state: inout State) {
    while !state.pending.isEmpty {
      let count = send(&state, state.pending)
      guard count >= 0 else {
        // Otherwise the line can't be written at all: a closed pipe, a full disk.
        if errno == EAGAIN || errno == EINTR { return }
        state.lost += state.pending.count { $0 == UInt8(ascii: "\n") }
        state.pending = []
        break
      }
      state.pending.removeFirst(count)
    }
    guard state.lost > 0 else { return }
    // After an incomplete line, starts a new line.
    let notice = Array(((state.isMidLine ? "\n" : "") + lostLine(state.lost) + "\n").utf8)
    let count = send(&state, notice)
    state.owesNotice = count < 0 && (errno == EAGAIN || errno == EINTR)
    guard count >= 0 else { return }
    state.lost = 0
    state.pending = Array(notice[count...])
  }

  private func send(_ state: inout State, _ bytes: [UInt8]) -> Int {
    if let file, state.left <= 0, !state.isMidLine { state.left = LogFile.most - LogFile.rotate(file) }
    let count = send(bytes)
    state.left -= max(0, count)
    if count > 0 { state.isMidLine = bytes[count - 1] != UInt8(ascii: "\n") }
    return count
  }

  /// Sends as much as possible without waiting; -1 with errno.
  private func send(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { bytes in
      switch way {
      case .plain(let own): return Glibc.write(own?.number ?? number, bytes.baseAddress, bytes.count)
      case .socket:
        return Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      case .asked:
        var ready = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 0) > 0 else {
          errno = EAGAIN
          return -1
        }
        return Glibc.write(number, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
      }
    }
  }
}
