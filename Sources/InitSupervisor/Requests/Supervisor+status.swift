internal import Glibc
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging

/// The whole picture at one moment (protocol §3).
extension Supervisor {
  var status: StatusShape {
    let (states, holds, snapshots) = read { ($0.states, $0.holdCount, $0.initializers) }
    let workers = sessions.values.filter { !$0.registered.isEmpty }.sorted { $0.id < $1.id }
    return StatusShape(
      seq: seq, time: time, instance: instance, pid: Int(getpid()), uptime: (alarm.now - startedAt).inSeconds,
      lifecycle: states.lifecycle, launch: StateShape(states.launch), active: StateShape(states.active),
      composite: StateShape(states.composite), holds: holds, concurrency: configuration.machine.concurrency,
      initializers: snapshots.map { InitializerShape($0, clock: clock) }, workers: workers.map(WorkerShape.init),
      warnings: warnings.texts, processes: kept.map(\.shape))
  }

  /// Commands' files can't be where they were to be: that is shown from now on.
  func runtimeDirectoryFailed(_ why: String) {
    warnings.runtimeDirectory = why
    logger.warning("\(why)")
  }
}
