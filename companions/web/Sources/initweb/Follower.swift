internal import Foundation
internal import InitClient
internal import InitModel
internal import Logging
internal import Passes
internal import ServiceLifecycle
internal import WebStatus

/// Follows a supervisor: its events, and whether it answers pings.
///
/// The service gets events of initializers only while somebody reads them here, because they cost a supervisor much if runs are short.
/// Otherwise it asks for the initializers. It reconnects until this program ends.
struct Follower: Service {
  /// How long the answer to a ping may take.
  private static let limit = Duration.milliseconds(600)
  /// The pause between two pings; with the limit less than a second.
  private static let pause = Duration.milliseconds(200)

  /// The pause between two requests for the initializers; twice as long while nothing happens.
  private static let refreshPause = Duration.milliseconds(500)

  /// All but the output of commands.
  private static let topics = Topic.allCases.filter { $0 != .log }
  /// The topics without the changes of initializers.
  private static let fewTopics = topics.filter { $0 != .initializer }

  let socket: String?
  let board: Board
  let hub: EventHub
  let feeder: PassFeeder
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var reported: String?
      while !Task.isCancelled {
        do {
          try await follow()
        } catch {
          guard !Task.isCancelled else { return }
          let reason = Self.words(error)
          board.change { $0.lose(reason) }
          hub.changed()
          // Logs each reason once, not at each attempt.
          if reason != reported { logger.warning("no supervisor: \(reason); trying again") }
          reported = reason
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Connects, and follows until the connection is lost.
  private func follow() async throws {
    let path = try await SupervisorClient.socketPath(at: socket)
    // The path may change while this connects; then the place is another one than before.
    let place = SocketPlace(path)
    guard
      let client = try await limited(
        to: Self.limit, { try await SupervisorClient.connect(at: path, named: "initweb", within: .zero) })
    else { throw Silence() }
    board.change { $0.hear() }
    hub.changed()
    logger.info("following the supervisor at \(client.socketPath)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await read(client) }
      group.addTask { try await feeder.run(at: socket) }
      group.addTask { try await ping(client) }
      group.addTask { try await watch(path, while: place) }
      group.addTask { try await refresh() }
      try await group.next()
    }
  }

  /// Reads the events; each subscription begins with a snapshot.
  private func read(_ client: SupervisorClient) async throws {
    while !Task.isCancelled {
      let isUsed = hub.isUsed
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          for try await event in client.events(isUsed ? Self.topics : Self.fewTopics) {
            apply(event, isLive: isUsed)
            feeder.note(event)
          }
        }
        group.addTask { isUsed ? try await hub.untilUnused() : await hub.untilUsed() }
        try await group.next()
      }
      board.change { $0.endLive() }
    }
  }

  /// Asks for everything that no events tell, over a connection of its own, so a long answer delays no ping.
  ///
  /// If it isn't answered, it asks again: others notice whether the supervisor is there.
  private func refresh() async throws {
    var client: SupervisorClient?
    var reported: String?
    var skips = false
    while true {
      try await Task.sleep(for: Self.refreshPause)
      guard !skips || board.with(\.wantsInitializers) else {
        skips = false
        continue
      }
      let asked = board.with { $0.ask() }
      do {
        if client == nil { client = try await .connect(at: socket, named: "initweb", within: .zero) }
        guard let client else { return }
        let status = Picture(try await client.status())
        board.change { $0.update(with: status, asked: asked) }
        hub.changed()
        skips = true
        reported = nil
      } catch {
        try Task.checkCancellation()
        client = nil
        skips = false
        // Logs each reason once, not at each attempt.
        let reason = "\(error)"
        if reason != reported { logger.warning("cannot get the supervisor's status: \(reason)") }
        reported = reason
      }
    }
  }

  /// Pings until the connection is lost.
  ///
  /// Sends a ping, and sends no other ping until it is answered.
  private func ping(_ client: SupervisorClient) async throws {
    while true {
      try await Task.sleep(for: Self.pause)
      let sent = Date().timeIntervalSince1970
      let alarm = Task {
        try await Task.sleep(for: Self.limit)
        board.change { $0.miss(Silence().description, since: sent) }
        hub.changed()
        logger.warning("\(Silence())")
        return true
      }
      defer { alarm.cancel() }
      try await client.ping()
      alarm.cancel()
      if (try? await alarm.value) != nil { logger.info("the supervisor answers again") }
      if !board.with(\.isAnswering) {
        board.change { $0.hear() }
        hub.changed()
      }
    }
  }

  /// Returns when the path leads to another socket: the supervisor behind the connections may live on there, and isn't the one to follow.
  private func watch(_ path: String, while place: SocketPlace?) async throws {
    while SocketPlace(path) == place { try await Task.sleep(for: Self.pause) }
    throw Replaced(path: path)
  }

  private func apply(_ event: Status.Event, isLive: Bool) {
    board.change { followed in
      switch event.body {
      case .snapshot(let status): followed.replace(with: Picture(status), isLive: isLive)
      case .state(let states): followed.set(States(states))
      case .initializer(let status): followed.set(WebStatus.Initializer(status))
      case .initializerRemoved(let status): followed.removeInitializer(status.name)
      case .pass: followed.notePass()
      case .worker(let change):
        let worker = ConnectedWorker(change.worker)
        if change.connected { followed.set(worker) } else { followed.remove(worker) }
      case .process(let process): followed.set(KeptProcess(process))
      case .processRemoved(let process): followed.removeProcess(process.name)
      case .lagged(let dropped): followed.lag(dropped)
      case .shutdown: followed.lose("the supervisor has shut down")
      case .log, .unknown: break
      }
    }
    publish(event)
  }

  /// Publishes a change to the readers of events.
  private func publish(_ event: Status.Event) {
    switch event.body {
    case .snapshot: hub.publish("snapshot", board.with { $0.document })
    case .initializer(let status): hub.publish("initializer", StatusDocument.Item(WebStatus.Initializer(status)))
    case .initializerRemoved(let status): hub.publish("initializerRemoved", Removed(name: status.name))
    case .pass(let pass): hub.publish("pass", PassNews(pass))
    case .process(let process): hub.publish("process", StatusDocument.Process(KeptProcess(process)))
    case .processRemoved(let process): hub.publish("processRemoved", Removed(name: process.name))
    case .worker(let change): hub.publish("worker", StatusDocument.Worker(ConnectedWorker(change.worker)))
    case .state, .lagged, .shutdown, .log, .unknown: break
    }
    hub.changed()
  }

  private struct Removed: Encodable {
    let name: String
  }

  private static func words(_ error: any Error) -> String {
    guard let error = error as? SupervisorError else { return "\(error)" }
    return error.description.replacing("the parameter `at:`", with: "--socket")
  }

  /// Another supervisor has taken the place, or none.
  private struct Replaced: Error, CustomStringConvertible {
    let path: String
    var description: String {
      "the path \(path) doesn't lead to the supervisor any more that initweb followed; connecting to it again"
    }
  }

  /// The supervisor hasn't answered.
  private struct Silence: Error, CustomStringConvertible {
    var description: String {
      "the supervisor doesn't answer: no answer to a ping within 600 ms; check that it isn't stopped, and the machine's load"
    }
  }
}

/// Returns nil if the work takes longer than the limit; then the work is cancelled.
func limited<Value: Sendable>(
  to limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil
    }
    return try await group.next() ?? nil
  }
}

/// The news of a pass for the readers of events.
struct PassNews: Encodable {
  private let pass: Int
  private let phase: Phase
  private let status: String

  init(_ change: Status.Event.PassChange) {
    pass = change.pass
    phase = Phase(change.phase)
    status = change.status.rawValue
  }

  init(_ pass: EndedPass) {
    self.pass = pass.number
    phase = pass.phase
    status = pass.outcome.rawValue
  }
}
