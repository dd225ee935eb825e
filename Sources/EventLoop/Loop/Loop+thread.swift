internal import InitLocks
public import Platform

extension Loop {
  /// Starts a loop in a new thread, for a program whose main thread is busy.
  ///
  /// The loop runs until the process ends, or ``stop()`` is called; then the thread closes it and ends. Throws if threads or descriptors
  /// are exhausted.
  public static func startedInThread(name: String) throws(SystemError) -> Loop {
    let made = Locked<Result<Loop, SystemError>?>(nil)
    let isMade = WakeUps()
    try PlatformThread.start(name: name) {
      let result = Result { () throws(SystemError) in try Loop() }
      made.withLock { $0 = result }
      isMade.wake()
      guard case .success(let loop) = result else { return }
      loop.run()
      try? loop.close()
    }
    isMade.wait()
    guard let result = made.withLock({ $0 }) else { preconditionFailure("the thread has made no loop") }
    return try result.get()
  }
}
