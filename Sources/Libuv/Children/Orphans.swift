internal import CPlatform
internal import Glibc
public import Platform

// What a child leaves behind when it ends becomes ours, if we are the first process of a container or asked for it (PR_SET_CHILD_SUBREAPER). The law:
//
// 1. They are reaped when SIGCHLD says so, and nobody else's child is: one that a `ChildProcess` waits for is left to it.
// 2. The kernel shows one ended child at a time. Is that a `ChildProcess`'s, what is behind it is looked at once that has been reaped.
// 3. Nothing ticks.

/// The processes that became our children because their parents ended.
public final class Orphans {
  private let loop: Loop
  private var source: SignalSource?
  private var ending: ProcessEnd?
  private var onGone: (() -> Void)?

  /// Adopts what is orphaned below us from now on, and reaps it. One for a process.
  ///
  /// - Throws: why SIGCHLD can't be watched.
  public init(loop: Loop) throws(SystemError) {
    self.loop = loop
    loop.adoptsOrphans = platform_adopt_orphans() == 0
    source = try SignalSource(loop: loop, signal: SIGCHLD) { [weak self] in self?.reap() }
    loop.onChildReaped = { [weak self] in self?.reap() }
    reap()
  }

  /// Those that run now, and were not killed with the group of the command that left them.
  public var processes: [LeftProcess] { all.filter { !loop.killedGroups.contains(getpgid($0.pid)) } }

  private var all: [LeftProcess] { ProcessTable.children(of: getpid()).filter { !loop.children.contains($0.pid) } }

  private var pids: [Int32] { all.map(\.pid) }

  /// Tells those that run to end, kills those that don't within `grace`, and calls back when none is left; also those that they leave behind
  /// in turn.
  public func end(within grace: Duration, then action: @escaping () -> Void) {
    onGone = action
    // Whatever is left behind by one that was killed is killed when it comes to us.
    ending = ProcessEnd(loop: loop, within: grace, killingEvery: .milliseconds(50)) { [unowned self] in
      send($0)
      if $0 == SIGKILL { tellIfGone() }
    }
    tellIfGone()
  }

  /// Kills them now, and waits for them no longer than it takes to reap them.
  public func killAll() {
    if let ending { ending.kill() } else { send(SIGKILL) }
  }

  private func send(_ number: Int32) {
    for pid in pids { kill(pid, number) }
  }

  /// Reaps no more.
  public func close() {
    loop.onChildReaped = nil
    source?.close()
    ending?.close()
    ending = nil
    onGone = nil
  }

  private func reap() {
    while true {
      let pid = platform_peek_ended_child()
      // The guard is nobody's orphan, but it would hide those behind it.
      if pid > 0, pid == loop.childGuard?.pid { loop.endGuard() }
      guard pid > 0, !loop.children.contains(pid) else { break }
      waitpid(pid, nil, WNOHANG)
    }
    tellIfGone()
  }

  private func tellIfGone() {
    guard let action = onGone, pids.isEmpty else { return }
    onGone = nil
    ending?.close()
    ending = nil
    action()
  }
}
