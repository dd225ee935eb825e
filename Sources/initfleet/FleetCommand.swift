internal import CommandLineOptions
internal import Etcd
internal import EventLoop
internal import Fleet
internal import Glibc
internal import InitClient
internal import Platform

/// A command that talks to etcd: it does its work on a loop, and ends the process with a status.
protocol FleetCommand: ProgramCommand, Sendable {
  /// The options to find the fleet.
  var fleet: FleetOptions { get }

  /// The lease that it renews.
  var lease: Duration { get }

  /// The work.
  ///
  /// The caller prints errors, and turns them into a status.
  @ProgramLoop func run(in fleet: FleetConnection) async throws -> ProgramStatus
}

extension FleetCommand {
  /// The default, for commands that don't renew a lease.
  var lease: Duration { .seconds(10) }

  func run() throws {
    let loop = try ProgramLoop.loop.get()
    let connection = FleetConnection(
      loop: loop, etcd: try fleet.etcd(on: loop, lease: lease), keys: try fleet.keys(), name: try fleet.name())
    let status = try ProgramLoop.run { _ in
      do { return try await run(in: connection) } catch { return InitFleet.report(error) }
    }
    if status != .success { throw status }
  }
}

/// The fleet of a command.
struct FleetConnection: Sendable {
  let loop: Loop
  let etcd: Etcd
  let keys: FleetKeys
  /// The name of the fleet.
  let name: String

  /// Runs a service until SIGTERM or SIGINT.
  ///
  /// The first signal ends it in order; a second one skips the waiting. The service ends, too, if etcd denies access to the fleet's keys at
  /// first.
  ///
  /// `onSignal` is called before the service's task is cancelled.
  @ProgramLoop func untilSignal(
    _ service: @escaping @Sendable () async throws -> Void, onSignal: @escaping @Sendable () async -> Void
  ) async throws -> ProgramStatus {
    let task = Task(executorPreference: loop) { try await service() }
    let ending = ServiceEnd()
    let check = Task(executorPreference: loop) {
      do throws(EtcdError) {
        try await etcd.waitForAccess(to: keys)
      } catch {
        // A mistake that the user must correct. If access is lost later, the service continues to try.
        await ending.deny(error)
        task.cancel()
      }
    }
    defer { check.cancel() }
    let sources = try [SIGTERM, SIGINT].map { signal in
      try SignalSource(loop: loop, signal: signal) {
        ending.signals += 1
        guard ending.signals == 1 else { return task.cancel() }
        Task(executorPreference: loop) {
          await onSignal()
          task.cancel()
        }
      }
    }
    defer { for source in sources { source.close() } }
    do {
      try await task.value
    } catch is CancellationError {
      // Ended by a signal or a denial.
    }
    if let denial = ending.denial { throw denial }
    return .success
  }
}

/// What ends a service.
@ProgramLoop private final class ServiceEnd {
  /// The number of signals that have arrived.
  var signals = 0
  /// Why etcd denies access.
  private(set) var denial: EtcdError?

  func deny(_ error: EtcdError) { denial = error }
}

extension ProgramStatus {
  /// No supervisor answers, or etcd doesn't.
  static let unavailable = ProgramStatus(69)
  /// A file can't be read.
  static let unreadable = ProgramStatus(66)
  /// Permission denied.
  static let notPermitted = ProgramStatus(77)
  /// A timeout expired.
  static let timedOut = ProgramStatus(124)
}
