internal import CProcesses
internal import EventLoop
internal import Glibc
public import Platform

// Orphaned descendants become our children if we are the first process of a container, or have set PR_SET_CHILD_SUBREAPER. Invariants:
//
// 1. They are reaped on SIGCHLD. Other children aren't: a `ChildProcess` reaps its own, and a `GuardKeeper` the guard.
// 2. The kernel reports one ended child at a time. If the ended process belongs to one of these, it may hide others, which are checked once
//    it has been reaped. If none was hidden, SIGCHLD follows.
// 3. No timer runs, except while `end` kills them: SIGKILL is repeated every 50 ms, because a killed process may leave further orphans.

/// The processes that became our children because their parents ended.
public final class Orphans {
  private let children: ChildTable
  private var source: SignalSource?
  private var ending: ProcessEnd?
  private var onGone: (() -> Void)?
  private var beforeKill: (([LeftProcess]) -> Void)?
  /// Whether the last peek found a child of a `ChildProcess`.
  private var mayBeHidden = false

  /// Adopts orphaned descendants from now on, and reaps them.
  ///
  /// Create only one object per process.
  ///
  /// - Throws: why SIGCHLD can't be watched.
  public init(of children: ChildTable) throws(SystemError) {
    self.children = children
    children.adoptsOrphans = process_adopt_orphans() == 0
    source = try SignalSource(loop: children.loop, signal: SIGCHLD) { [weak self] in self?.reap() }
    children.onReaped = { [weak self] in self?.childReaped() }
    reap()
  }

  /// The running orphans that weren't killed with the group of their command.
  public var processes: [LeftProcess] { all.filter { !children.killedGroups.contains(getpgid($0.pid)) } }

  private var all: [LeftProcess] {
    // Usually there is no child at all, which one system call shows; otherwise all of /proc is read.
    guard process_has_child() != 0 else { return [] }
    return ProcessTable.children(of: getpid()).filter { !children.isOwn($0.pid) }
  }

  private var pids: [Int32] { all.map(\.pid) }

  /// Sends SIGTERM to the running orphans, kills those that don't exit within `grace`, and calls back when none is left, including their
  /// own orphans.
  ///
  /// - Parameters:
  ///   - grace: the time until SIGKILL.
  ///   - beforeKill: called once before SIGKILL with the orphans that haven't exited; not called if ``killAll()`` kills them.
  ///   - action: called when no orphan is left.
  public func end(
    within grace: Duration, beforeKill: @escaping ([LeftProcess]) -> Void, then action: @escaping () -> Void
  ) {
    onGone = action
    self.beforeKill = beforeKill
    // Orphans of a killed process are killed when they are adopted.
    ending = ProcessEnd(loop: children.loop, within: grace, killingEvery: .milliseconds(50)) { [unowned self] in
      if $0 == SIGKILL, let beforeKill = self.beforeKill.take() { beforeKill(all) }
      send($0)
      if $0 == SIGKILL { finishIfGone() }
    }
    finishIfGone()
  }

  /// Kills the orphans now, and reaps them.
  public func killAll() {
    beforeKill = nil
    if let ending { ending.kill() } else { send(SIGKILL) }
  }

  private func send(_ number: Int32) {
    for pid in pids { kill(pid, number) }
  }

  /// Stops reaping.
  public func close() {
    children.onReaped = nil
    source?.close()
    ending?.close()
    ending = nil
    onGone = nil
    beforeKill = nil
  }

  private func childReaped() {
    if mayBeHidden { reap() } else { finishIfGone() }
  }

  private func reap() {
    mayBeHidden = false
    while true {
      let pid = process_peek_ended_child()
      mayBeHidden = children.isOwn(pid)
      guard pid > 0, !mayBeHidden else { break }
      waitpid(pid, nil, WNOHANG)
    }
    finishIfGone()
  }

  private func finishIfGone() {
    guard let action = onGone, pids.isEmpty else { return }
    onGone = nil
    ending?.close()
    ending = nil
    action()
  }
}
