internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords
internal import Platform

/// The lines of `initctl worker --status-fd`, for programs.
@ProgramLoop final class StatusLines {
  private let stream: LogStream
  private let drain: LogDrain

  /// `descriptor` is an open descriptor.
  init(loop: Loop, descriptor: Int) {
    stream = LogStream(to: Int32(descriptor)) { "overflow \($0)" }
    drain = LogDrain(stream, on: loop)
  }

  /// Whether a descriptor is open for writing.
  nonisolated static func isWritable(_ descriptor: Int) -> Bool {
    let flags = Int32(exactly: descriptor).map { fcntl($0, F_GETFL) } ?? -1
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }

  /// Reports a change of the connection.
  func report(_ change: WorkerService.Change) { if let line = Self.line(of: change) { stream.write(line) } }

  func report(_ change: WorkerRunChange) { if let line = Self.line(of: change) { stream.write(line) } }

  /// Writes the queued bytes.
  func close() {
    drain.close()
    stream.finish()
  }

  /// Returns the line of a change of the connection, if it has one.
  nonisolated static func line(of change: WorkerService.Change) -> String? {
    switch change {
    case .registered: "connected"
    case .lost: "lost"
    case .notRegistered, .waiting: nil
    }
  }

  /// Returns the line of a change of a run, if it has one.
  nonisolated static func line(of change: WorkerRunChange) -> String? {
    switch change {
    case .began(let run): "run \(run.initializer) \(run.run) \(run.attempt)"
    case .cancelled(let run, let reason): "cancel \(run.initializer) \(run.run) \(reason?.rawValue ?? "unknown")"
    case .lost(let run): "cancel \(run.initializer) \(run.run) lost"
    case .ended(_, .lost): nil
    case .ended(let run, _): "done \(run.initializer) \(run.run)"
    }
  }
}
