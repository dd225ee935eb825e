internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `watch` in a pipe: one line for each event.
struct WatchLines {
  let topics: [Topic]
  let isJSON: Bool
  let until: WaitTarget?
  let reconnection: Reconnection

  /// Prints the lines until the supervisor shuts down, or until the target is settled.
  func show(_ first: Client, _ subscription: EventSequence) async throws -> ProgramStatus {
    OutputReader.endWhenGone()
    var client = first
    var subscription = subscription
    var clock = RemoteClock(subscription.status.time, on: client.loop)
    while true {
      let instance = subscription.status.instance
      do {
        return try await show(subscription, of: client, clock)
      } catch {
        (client, subscription) = try await reconnect(after: client, error, clock)
      }
      clock = RemoteClock(subscription.status.time, on: client.loop)
      let isNew = subscription.status.instance != instance
      try say(Reconnection.renewed(subscription.status.pid, isNew: isNew), at: clock.now)
    }
  }

  /// Shows the events of one connection.
  private func show(
    _ subscription: EventSequence, of client: Client, _ clock: RemoteClock
  ) async throws -> ProgramStatus {
    await client.expectNews()
    if !isJSON, let manifest = subscription.status.manifest, FoundSupervisor.areSeveral {
      try Console.write("\(Phrases.moment(clock.now)) of \(TerminalText.escape(manifest.joined(separator: ", ")))\n")
    }
    try write(subscription.snapshot, at: clock.now)
    let reading = Task(executorPreference: client.loop) {
      do {
        var isShutdown = false
        for try await event in subscription {
          try write(event, at: clock.now)
          isShutdown = event.params.body == .shutdown
        }
        if isShutdown { try reconnection.endsWithShutdown(of: client.path) }
      } catch {
        // A wait on this connection gets no answer any more: end it.
        await client.close()
        throw error
      }
    }
    guard let until else {
      try await reading.value
      return .success
    }
    let state: Status.State
    do {
      state = try await client.send(WaitRequest(for: until))
    } catch {
      // Why the connection was lost, or the events until the shutdown.
      try await reading.value
      guard case ClientError.lost = error else { throw error }
      // The connection ended in order, before the supervisor had read the request.
      Console.complain("the supervisor has shut down before \(until) was complete")
      return .failure
    }
    // All events until now are printed before this command ends.
    let rest = try await client.unsubscribe()
    try await reading.value
    for event in rest { try write(event, at: clock.now) }
    return await client.explain(until, state)
  }

  private func reconnect(
    after client: Client, _ error: any Error, _ clock: RemoteClock
  ) async throws -> (Client, EventSequence) {
    var client = client
    var reason = error
    var isTold = false
    while true {
      if !isTold, reconnection.waits(after: reason) {
        try say(Reconnection.lost(client.path, after: reason), at: clock.now)
      }
      isTold = true
      client = try await reconnection.client(after: client, reason)
      do {
        return (client, try await client.subscribe(to: topics))
      } catch {
        reason = error
      }
    }
  }

  /// Tells something that is no event: programs don't expect it among the events.
  private func say(_ line: String, at now: Double) throws {
    guard !isJSON else { return Console.complain(line) }
    try Console.write("\(Phrases.moment(now)) \(TerminalText.escape(line))\n")
  }

  private func write(_ event: ReceivedEvent, at now: Double) throws {
    if isJSON {
      try Console.write(JSONLine.line(event.text))
    } else {
      try Console.write(EventLine.lines(event.params, at: now).map { $0 + "\n" }.joined())
    }
  }
}
