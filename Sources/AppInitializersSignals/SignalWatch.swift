internal import Glibc
internal import InitLocks

// A handler may use only async-signal-safe functions: it writes the signal's number into a pipe. The pipe and the thread that reads it are
// created at first use and never closed, so a late handler never writes into a reused descriptor.

/// The watched signals of this process.
enum SignalWatch {
  private struct Watched {
    let continuation: AsyncStream<Int32>.Continuation
    let former: sigaction
  }

  /// How many unread signals are kept.
  private static let backlog = 256

  private static let watched = Locked<[Int32: Watched]>([:])

  /// The end that handlers write to; -1 if the pipe couldn't be created.
  private static let writer: Int32 = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // If the pipe is full, the signal is dropped: a handler never waits.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    var thread = pthread_t()
    let reader = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    reader.initialize(to: ends[0])
    let status = pthread_create(
      &thread, nil,
      { reader in
        // All signals are blocked in this thread: a handler would interrupt the read.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        if let reader { SignalWatch.read(reader.load(as: Int32.self)) }
        return nil
      }, reader)
    guard status == 0 else { return -1 }
    pthread_detach(thread)
    return ends[1]
  }()

  /// Watches the signals with these numbers, and returns them as a stream.
  static func watch(_ signals: [Int32]) throws(SignalLifecycleError) -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(backlog))
    var taken: [Int32] = []
    for signal in signals {
      if let reason = install(signal, continuation) {
        release(taken)
        throw SignalLifecycleError(signal: signal, reason: reason)
      }
      taken.append(signal)
    }
    continuation.onTermination = { _ in release(signals) }
    return stream
  }

  private static func install(
    _ signal: Int32, _ continuation: AsyncStream<Int32>.Continuation
  ) -> SignalLifecycleError.Reason? {
    guard writer >= 0 else { return .uncatchable }
    JobControl.prepare()
    return watched.withLock { watched -> SignalLifecycleError.Reason? in
      guard watched[signal] == nil else { return .watched }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        let saved = errno
        JobControl.record(number)
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalWatch.writer, &byte, 1)
        errno = saved
      }
      action.sa_flags = SA_RESTART
      var former = sigaction()
      guard sigaction(signal, &action, &former) == 0 else { return .uncatchable }
      watched[signal] = Watched(continuation: continuation, former: former)
      return nil
    }
  }

  private static func release(_ signals: [Int32]) {
    watched.withLock { watched in
      for signal in signals {
        guard var former = watched.removeValue(forKey: signal)?.former else { continue }
        sigaction(signal, &former, nil)
      }
    }
  }

  private static func read(_ descriptor: Int32) {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(descriptor, &byte, 1)
      guard count == 1 || errno == EINTR else { return }
      guard count == 1 else { continue }
      let signal = Int32(byte)
      let continuation = watched.withLock { $0[signal]?.continuation }
      continuation?.yield(signal)
    }
  }
}
