internal import ArgumentParser
internal import Etcd
internal import Fleet
internal import Logging
internal import UnixSignals

extension FleetConnection {
  /// Runs a service until SIGTERM or SIGINT.
  ///
  /// The first signal ends the service in order. A second one skips the waiting, unless it comes with the first. The service also ends if
  /// etcd denies access to the fleet's keys at first.
  ///
  /// `onSignal` is called before the service's task is cancelled.
  @FleetActor func untilSignal(
    _ logger: Logger, _ service: @escaping @FleetActor @Sendable () async throws -> Void,
    onSignal: @escaping @FleetActor @Sendable () async -> Void
  ) async throws {
    etcd.onAccess = { denial in
      if let denial { logger.warning("\(denial.words); trying again") } else { logger.info("etcd allows access again") }
    }
    let task = Task { try await service() }
    let check = Task { () -> EtcdError? in
      do throws(EtcdError) {
        try await etcd.waitForAccess(to: keys)
        return nil
      } catch {
        // A mistake that the user must correct. If access is lost later, the service continues to try.
        task.cancel()
        return error
      }
    }
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let listening = Task {
      var ending = EndingSignals()
      for await signal in signals {
        switch ending.record(signal.rawValue, at: FleetClock.now) {
        case .end:
          Task {
            await onSignal()
            task.cancel()
          }
        case .echo: break
        case .skip: task.cancel()
        }
      }
    }
    defer {
      listening.cancel()
      check.cancel()
    }
    let result = await task.result
    // Cancelled by a signal or a denial.
    if case .failure(let error) = result, !(error is CancellationError) { throw error }
    check.cancel()
    if let denial = await check.value { throw denial }
  }
}

extension EtcdClient {
  /// Checks that the roles of the user allow the agent to read and write a fleet's keys, as soon as etcd answers.
  ///
  /// - Throws: `EtcdError` if they don't, or the user or its password is wrong.
  func waitForAccess(to keys: FleetKeys) async throws(EtcdError) {
    let key = keys.once + "access"
    while !Task.isCancelled {
      do throws(EtcdError) {
        // etcd checks both branches, and executes the empty one.
        _ = try await transaction(if: [.absent(key)], then: [], else: [.delete(key)])
        return
      } catch {
        if error.isDenied { throw error }
      }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }
}

extension EtcdError {
  /// A text that says what is wrong, and what to do if the user is the cause.
  var words: String {
    switch self {
    case .refused(_, .unauthenticated):
      "\(self); check --user, and the password in --password-file or INITFLEET_PASSWORD"
    case .refused(_, .permissionDenied):
      "\(self); grant a role of --user readwrite for the prefix \"PREFIX/FLEET \", e.g. \"/initfleet/shop \""
    case .refused where isFull:
      "\(self); compact and defragment etcd, then disarm its alarm (etcdctl alarm disarm)"
    case .refused, .unreachable, .untrusted: description
    }
  }
}

/// Calls to another actor, one after the other, in order.
@FleetActor final class Outbox {
  private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation
  private let task: Task<Void, Never>

  init() {
    let (stream, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream()
    self.continuation = continuation
    task = Task { for await call in stream { await call() } }
  }

  func send(_ call: @escaping @Sendable () async -> Void) { continuation.yield(call) }

  /// Ends the connection when all calls are made.
  func close() async {
    continuation.finish()
    await task.value
  }
}

/// A task that begins something at a moment, unless it is set again.
@FleetActor final class Alarm {
  private var task: Task<Void, Never>?
  private var due: Duration?

  /// Calls `action` at the moment; never if that is nil.
  func set(_ due: Duration?, _ action: @escaping @FleetActor @Sendable () -> Void) {
    guard due != self.due else { return }
    self.due = due
    task?.cancel()
    guard let due else { return }
    task = Task {
      try? await Task.sleep(until: FleetClock.instant(due))
      guard !Task.isCancelled else { return }
      self.due = nil
      action()
    }
  }
}
