internal import Glibc
internal import Synchronization

// The law: nobody who stops reading the log stops the program. A line that can't be written at once waits here, up to `room` bytes; beyond that
// it is lost, which is said once there is somebody to read again. Standard error is shared with others, so it isn't made non-blocking: a pipe
// or a terminal is opened anew for ourselves, a socket is sent to without waiting, and where neither can be, it is asked before.

/// Standard error, as a log is written to it: without ever waiting for its reader. From any thread.
public final class LogStream: Sendable {
  /// How many bytes wait for a reader.
  public static let room = 256 * 1024
  /// How often it is tried again while any wait.
  public static let interval = Duration.milliseconds(20)

  private enum Way: Sendable {
    /// It never waits: a file, or a description of our own.
    case plain(Descriptor?)
    case socket
    /// It may, unless it was asked before.
    case asked
  }

  private struct State {
    var pending: [UInt8] = []
    var lost = 0
    /// That lines were lost couldn't be said, as the reader hasn't made room for it.
    var owesNotice = false
    /// What has been written last ends within a line.
    var isMidLine = false
    /// Asks for another try before long; nil while one has been asked for, or nobody would.
    var wake: (@Sendable () -> Void)?

    /// Whether nothing waits for a reader.
    var isDrained: Bool { pending.isEmpty && !owesNotice }
  }

  private let way: Way
  private let lostLine: @Sendable (Int) -> String
  private let state = Mutex(State())

  /// Standard error as it is now.
  ///
  /// - Parameter lostLine: the line that tells that so many were lost.
  public init(lostLine: @escaping @Sendable (Int) -> String) {
    self.lostLine = lostLine
    var status = stat()
    let kind = fstat(STDERR_FILENO, &status) == 0 ? status.st_mode & S_IFMT : 0
    switch kind {
    case S_IFIFO, S_IFCHR:
      let own = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      way = own >= 0 ? .plain(Descriptor(owning: own)) : .asked
    case S_IFSOCK: way = .socket
    default: way = .plain(nil)
    }
  }

  /// Writes a line, or as much of it as can be, and keeps the rest.
  public func write(_ line: String) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      flush(&state)
      let bytes = line.utf8
      // What has lost one loses all until it could say so: their order would mislead.
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

  /// Has this called, once, when something has to wait; nil for nobody. From any thread, on any thread.
  package func onPending(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

  /// Writes what waits, for no longer than this: for the end of a program.
  public func finish(within patience: Duration = .seconds(1)) {
    let end = ContinuousClock.now + patience
    while !isDrained, ContinuousClock.now < end {
      var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      _ = poll(&ready, 1, 20)
    }
  }

  /// Whether nothing waits, after one more try.
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
        // Else nobody will read it, or nobody can: a closed pipe, a full disk.
        if errno == EAGAIN || errno == EINTR { return }
        state.lost += state.pending.count { $0 == UInt8(ascii: "\n") }
        state.pending = []
        break
      }
      state.pending.removeFirst(count)
    }
    guard state.lost > 0 else { return }
    // Behind what is left of a line it begins one of its own.
    let notice = Array(((state.isMidLine ? "\n" : "") + lostLine(state.lost) + "\n").utf8)
    let count = send(&state, notice)
    state.owesNotice = count < 0 && (errno == EAGAIN || errno == EINTR)
    guard count >= 0 else { return }
    state.lost = 0
    state.pending = Array(notice[count...])
  }

  private func send(_ state: inout State, _ bytes: [UInt8]) -> Int {
    let count = send(bytes)
    if count > 0 { state.isMidLine = bytes[count - 1] != UInt8(ascii: "\n") }
    return count
  }

  /// Sends as much as can be without waiting; -1 with errno.
  private func send(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { bytes in
      switch way {
      case .plain(let own): return Glibc.write(own?.number ?? STDERR_FILENO, bytes.baseAddress, bytes.count)
      case .socket:
        return Glibc.send(STDERR_FILENO, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      case .asked:
        var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 0) > 0 else {
          errno = EAGAIN
          return -1
        }
        return Glibc.write(STDERR_FILENO, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
      }
    }
  }
}
