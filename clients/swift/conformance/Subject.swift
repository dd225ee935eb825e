import AppInitializers
import AppInitializersWorker
import InitClient
import InitModel

/// The worker, the subscription and the calls of the argument, until the task is cancelled.
struct Subject {
  private let argument: Argument
  /// SIGTERM must end it within two seconds.
  private static let grace = Duration.milliseconds(1400)
  /// Longer than any test.
  private static let always = Duration.seconds(1_000_000)

  init(_ argument: Argument) { self.argument = argument }

  /// Runs them.
  ///
  /// - Throws: why the first registration failed.
  func run() async throws {
    let (registrations, registered) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let initializers = argument.initializers.map { Scripted($0) }
    if initializers.isEmpty { registered.yield() }
    let client = argument.client
    let topics = argument.subscribe
    let calls = argument.calls
    try await withThrowingTaskGroup(of: Void.self) { group in
      if !initializers.isEmpty {
        // In Swift, this is a property of the worker.
        let isPerProcess = argument.initializers.contains { $0.perProcess == true }
        let worker = Worker(client, serving: initializers, isPerProcess: isPerProcess, concurrency: .max)
        group.addTask {
          try await worker.run(cancelGrace: Self.grace) { change in
            Self.tell(change)
            if change == .registered { registered.yield() }
          }
        }
      }
      if let topics {
        group.addTask { try await Self.follow(topics.compactMap { Topic(rawValue: $0) }, client) }
      }
      if let calls {
        group.addTask {
          for await _ in registrations { break }
          try await Calls(client).make(calls)
        }
      }
      group.addTask { try await Task.sleep(for: Self.always) }
      for try await _ in group {}
    }
  }

  private static func tell(_ change: Worker.Change) {
    switch change {
    case .registered: Lines.say("connected")
    case .lost(let error):
      Lines.say("lost")
      Lines.complain("\(error)")
    case .notRegistered(let error): Lines.complain("\(error); trying again")
    case .answered(let run): Lines.say("done \(run.initializer) \(run.number)")
    }
  }

  private static func follow(_ topics: [Topic], _ name: String) async throws {
    for try await event in SupervisorEvents(topics, named: name) {
      switch event.body {
      case .snapshot(let status): Lines.say("snapshot \(status.instance)")
      case .lagged(let dropped): Lines.say("lagged \(dropped)")
      case .state: Lines.say("event state")
      case .initializer, .initializerRemoved: Lines.say("event initializer")
      case .pass: Lines.say("event pass")
      case .worker, .process, .processRemoved: Lines.say("event worker")
      case .log: Lines.say("event log")
      case .unknown(let topic): Lines.say("event \(topic)")
      case .shutdown: Lines.say("event shutdown")
      }
    }
  }
}
