public import Platform

extension Loop {
  /// A loop that runs in a thread of its own, for a program whose main thread has other things to do.
  ///
  /// It runs as long as the process, or until ``stop()``, after which the thread closes it and ends. Throws when there is
  /// no thread or no descriptor to be had.
  public static func startedInThread(name: String) throws(SystemError) -> Loop {
    let made = Monitor<Result<Loop, SystemError>?>(nil)
    try PlatformThread.start(name: name) {
      let result = Result { () throws(SystemError) in try Loop() }
      made.withLock { $0 = result }
      made.signal()
      guard case .success(let loop) = result else { return }
      loop.run()
      try? loop.close()
    }
    return try made.wait { $0 }.get()
  }
}
