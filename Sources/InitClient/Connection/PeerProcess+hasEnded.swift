internal import EventLoop
internal import Platform

extension PeerProcess {
  /// Waits until the process has ended, for `limit` at most, and returns whether it has; on the loop's thread.
  func hasEnded(
    within limit: Duration, on loop: Loop, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    guard let poll = try? Poll(loop: loop, descriptor: descriptor, name: "supervisor") else { return false }
    let timer = Timer(loop: loop, name: "supervisor")
    defer {
      poll.close()
      timer.close()
    }
    return await withCheckedContinuation { continuation in
      var waiting: CheckedContinuation<Bool, Never>? = continuation
      let finish = { (hasEnded: Bool) in
        waiting?.resume(returning: hasEnded)
        waiting = nil
      }
      timer.start(after: limit) { finish(false) }
      if (try? poll.start(.readable) { _ in finish(true) }) == nil { finish(false) }
    }
  }
}
