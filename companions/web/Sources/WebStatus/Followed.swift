public import Passes

/// What is known about a supervisor, from its events and its answers to pings.
///
/// The events go in, and the answers of the probes and the metrics come out. A probe or a scrape causes no request to the supervisor.
public struct Followed: Sendable {
  /// Whether the supervisor answers.
  enum Link: Sendable, Equatable {
    /// No connection, and why.
    case absent(String)
    /// Connected, but a ping wasn't answered in time.
    case silent(String)
    /// A supervisor is connected, and answers.
    case answering
  }

  var link = Link.absent("no connection has been tried yet")
  /// The last known picture; nil until the supervisor of this connection has sent one.
  var picture: Picture?
  var tally = Tally()
  /// Since when the supervisor hasn't answered, in seconds since the Unix epoch; nil if it answers, or isn't connected.
  private(set) var silentSince: Double?
  /// Whether events tell of initializers.
  public private(set) var isLive = false
  /// Whether initializers may have changed since they were told.
  private var isOutdated = false
  /// The number of snapshots and ends of events so far: an answer to a request from before one of them is older than what is known.
  private var restarts = 0
  private var indexes: [String: Int] = [:]
  /// Answers since the last change.
  private var answers: [Probe: ProbeAnswer] = [:]

  /// Knows nothing yet.
  public init() {}

  // MARK: The connection

  /// Forgets the picture: there is no connection, for this reason.
  public mutating func lose(_ reason: String) {
    change()
    link = .absent(reason)
    silentSince = nil
    picture = nil
    isLive = false
    indexes = [:]
  }

  /// Records that the supervisor hasn't answered in time, as `reason` says, since a moment in seconds since the Unix epoch.
  ///
  /// Keeps the picture: the supervisor may continue.
  public mutating func miss(_ reason: String, since: Double? = nil) {
    change()
    link = .silent(reason)
    silentSince = since
  }

  /// Records that the supervisor has answered.
  public mutating func hear() {
    guard link != .answering else { return }
    change()
    link = .answering
    silentSince = nil
  }

  // MARK: Events

  /// Replaces everything that is known.
  ///
  /// `isLive` says whether events follow that tell of initializers. Without them, `update(with:asked:)` must.
  public mutating func replace(with picture: Picture, isLive: Bool = true) {
    change()
    self.picture = picture
    self.isLive = isLive
    isOutdated = false
    restarts += 1
    index()
    tally.begin(instance: picture.instance)
    for process in picture.processes { tally.count(process) }
  }

  /// Notes that no more events tell of initializers.
  public mutating func endLive() {
    isLive = false
    restarts += 1
  }

  /// Whether the initializers must be asked for: no events tell of them, and they may have changed or will soon.
  public var wantsInitializers: Bool {
    !isLive && (isOutdated || picture?.initializers.contains(where: \.isInPass) == true)
  }

  /// Begins to ask the supervisor for its status; returns what `update(with:asked:)` needs with the answer.
  ///
  /// What changes from now on isn't in the answer, so `wantsInitializers` says then that it must be asked for again.
  public mutating func ask() -> Int {
    isOutdated = false
    return restarts
  }

  /// Takes what no events tell from a supervisor's status: the number of subscribers, and the initializers, unless `isLive`, or a snapshot
  /// has come since `ask()`.
  public mutating func update(with status: Picture, asked: Int) {
    guard let picture, picture.instance == status.instance else { return }
    self.picture?.subscribers = status.subscribers
    guard !isLive, asked == restarts else { return }
    guard picture.initializers != status.initializers else { return }
    change()
    self.picture?.initializers = status.initializers
    index()
  }

  private mutating func index() {
    indexes = Dictionary(
      (picture?.initializers ?? []).enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Notes that a pass has started or ended.
  public mutating func notePass() { isOutdated = true }

  /// Sets the states.
  public mutating func set(_ states: States) {
    change()
    isOutdated = true
    picture?.states = states
  }

  /// Sets an initializer, or adds it.
  public mutating func set(_ initializer: Initializer) {
    guard picture != nil else { return }
    change()
    if let index = indexes[initializer.name] {
      picture?.initializers[index] = initializer
    } else {
      indexes[initializer.name] = picture?.initializers.count
      picture?.initializers.append(initializer)
    }
  }

  /// Removes an initializer.
  public mutating func removeInitializer(_ name: String) {
    guard let index = indexes[name] else { return }
    change()
    picture?.initializers.remove(at: index)
    indexes[name] = nil
    for (other, position) in indexes where position > index { indexes[other] = position - 1 }
  }

  /// Counts passes that have ended, with their runs.
  ///
  /// Of a pass that ended before `start`, in seconds since the Unix epoch, only the duration is used: another process of this program may
  /// have counted it.
  public mutating func count(_ passes: [EndedPass], since start: Double) {
    for pass in passes {
      if pass.outcome == .complete { tally.lastPasses[pass.phase] = pass.openDuration }
      if pass.ended >= start { tally.count(pass) }
    }
  }

  /// Sets the initializers that a worker provides; a connection without initializers isn't a worker.
  public mutating func set(_ worker: ConnectedWorker) {
    guard let workers = picture?.workers else { return }
    change()
    isOutdated = true
    // A process may have several connections. A name has one provider.
    let index = workers.firstIndex { each in
      each.name == worker.name && each.pid == worker.pid
        && (worker.initializers.isEmpty || each.initializers.contains(where: worker.initializers.contains))
    }
    if let index {
      picture?.workers.remove(at: index)
    }
    if !worker.initializers.isEmpty { picture?.workers.append(worker) }
  }

  /// Removes a worker that has disconnected.
  public mutating func remove(_ worker: ConnectedWorker) {
    guard let index = picture?.workers.firstIndex(of: worker) else { return }
    change()
    isOutdated = true
    picture?.workers.remove(at: index)
  }

  /// Sets a process that is kept running, or adds it.
  public mutating func set(_ process: KeptProcess) {
    guard let processes = picture?.processes else { return }
    change()
    if let index = processes.firstIndex(where: { $0.name == process.name }) {
      picture?.processes[index] = process
    } else {
      picture?.processes.append(process)
    }
    tally.count(process)
  }

  /// Removes a process.
  public mutating func removeProcess(_ name: String) {
    change()
    picture?.processes.removeAll { $0.name == name }
    tally.forget(process: name)
  }

  /// Counts events that were lost, because this program was too slow.
  public mutating func lag(_ dropped: Int) { tally.lostEvents += dropped }

  // MARK: Answers

  /// Whether the supervisor answers.
  public var isAnswering: Bool { link == .answering }

  /// Returns whether the supervisor has an initializer of that name.
  public func declares(_ name: String) -> Bool { indexes[name] != nil }

  /// Identifies the supervisor, if it is known.
  public var instance: String? { picture?.instance }

  /// The supervisor's process, if it is known.
  public var pid: Int? { picture?.pid }

  /// Answers a probe; it is computed once for each change.
  public mutating func answer(_ probe: Probe) -> ProbeAnswer {
    if let known = answers[probe] { return known }
    let answer = ProbeAnswer(probe, link, picture)
    answers[probe] = answer
    return answer
  }

  private mutating func change() {
    if !answers.isEmpty { answers = [:] }
  }
}
