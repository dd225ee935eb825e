internal import EventLoop
public import Platform

/// Watches the guard of children, and replaces a guard that has ended, for example because it was killed.
///
/// A guard that ends within a second of its start is replaced only when that second is over: if something kills each one, this process
/// isn't busy with starting them.
final class GuardKeeper {
  /// The minimum time between two starts.
  private static let interval = Duration.seconds(1)

  let childGuard: ChildGuard
  private unowned let children: ChildTable
  private let onLoss: (GuardLoss) -> Void
  private var watching: ReadWatch?
  private var timer: Timer?
  private var started: Duration

  /// Watches a guard that was just started.
  ///
  /// - Throws: the reason why the guard can't be watched.
  init(_ childGuard: ChildGuard, of children: ChildTable, onLoss: @escaping (GuardLoss) -> Void) throws(SystemError) {
    self.childGuard = childGuard
    self.children = children
    self.onLoss = onLoss
    started = children.loop.now
    try watch()
  }

  private func watch() throws(SystemError) {
    guard let pidfd = childGuard.pidfd else { return }
    children.add(childGuard.pid)
    watching = try ReadWatch(loop: children.loop, descriptor: pidfd, name: "guard") { [weak self] in self?.ended() }
  }

  private func ended() {
    let pid = childGuard.pid
    guard let status = childGuard.reap() else { return }
    children.remove(pid)
    watching?.close()
    watching = nil
    let rest = started + Self.interval - children.loop.now
    if rest <= .zero { replace(status) } else { replaceLater(status, after: rest) }
    children.onReaped?()
  }

  private func replaceLater(_ status: ExitStatus, isReported: Bool = false, after delay: Duration) {
    let timer = timer ?? Timer(loop: children.loop, name: "guard")
    self.timer = timer
    timer.start(after: delay) { [weak self] in self?.replace(status, isReported: isReported) }
  }

  /// `isReported` is true if the log already says that the guard can't be replaced.
  private func replace(_ status: ExitStatus, isReported: Bool = false) {
    started = children.loop.now
    do throws(SystemError) {
      try childGuard.start()
      try watch()
      onLoss(GuardLoss(status: status, replacement: .success(childGuard.pid)))
    } catch {
      // A guard that can't be watched does its work; it is replaced as soon as a guard can be watched.
      if !isReported { onLoss(GuardLoss(status: status, replacement: .failure(error))) }
      replaceLater(status, isReported: true, after: Self.interval)
    }
  }

  /// Ends the guard.
  func close() {
    children.remove(childGuard.pid)
    watching?.close()
    timer?.close()
    childGuard.close()
  }
}

/// The unexpected end of a guard.
public struct GuardLoss: Sendable {
  /// The exit status.
  public let status: ExitStatus
  /// The pid of the new guard, or the reason why none can be started: then this is tried again every second, and success is also reported.
  public let replacement: Result<Int32, SystemError>
}
