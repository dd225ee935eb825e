internal import EventLoop
package import InitJSON
package import InitModel
internal import InitText
package import InitWire

// One method for each request of the protocol (§4) except `hello`, `subscribe` and `unsubscribe`. All of them throw `ClientError`:
// `refused` if the supervisor refuses. `within` is how long the answer may take; nil for no limit.

extension Client {
  /// Sends an object; the supervisor answers with the same object.
  package func ping(_ params: RawJSON = .emptyObject) async throws(ClientError) -> RawJSON {
    try await request(.ping(params))
  }

  /// Returns the Status.
  package func status(within: Duration? = nil) async throws(ClientError) -> Status {
    try read(try await request(.status, within: within), as: Status.self)
  }

  /// Starts launch, retries a failed one, or joins a running one (S9, S10).
  ///
  /// The method doesn't wait for the pass.
  package func launch(within: Duration? = nil) async throws(ClientError) -> LaunchResult {
    try read(try await request(.launch, within: within), as: LaunchResult.self)
  }

  /// Starts or joins an active pass (S10).
  ///
  /// Returns the number of the pass without waiting for it.
  ///
  /// `hold` is true if the app stays active only until this connection ends (S23). `lease` says how long the hold lasts from now, in
  /// seconds, unless it is renewed; nil for no limit. `force` says whether another client may be overridden that decides when the app is
  /// active.
  package func activate(
    hold: Bool = false, lease: Double? = nil, force: Bool = false, within: Duration? = nil
  ) async throws(ClientError) -> ActivateResult {
    let params = ActivateParams(hold: hold, lease: lease, at: lease == nil ? nil : loop.now.inSeconds, force: force)
    return try read(try await request(.activate(params), within: within), as: ActivateResult.self)
  }

  /// Releases this connection's hold, if it has one (S23).
  package func release(within: Duration? = nil) async throws(ClientError) {
    _ = try await request(.release, within: within)
  }

  /// Makes the app inactive and ends all holds (S11, S23).
  ///
  /// Returns the names of the runs that this cancelled.
  ///
  /// `wait` is true to wait until they have stopped.
  package func deactivate(wait: Bool = false, within: Duration? = nil) async throws(ClientError) -> DeactivateResult {
    try read(
      try await request(.deactivate(DeactivateParams(wait: wait)), within: within), as: DeactivateResult.self)
  }

  /// Waits until something isn't pending any more.
  ///
  /// Returns the state, even if it is failed.
  ///
  /// After the timeout, throws `refused` with code −32003, and the error's detail has the Status.
  ///
  /// `within` is the maximum time for the answer, independent of the timeout in the params: it detects a supervisor that hangs.
  package func wait(_ params: WaitParams, within: Duration? = nil) async throws(ClientError) -> Status.State {
    try read(try await request(.wait(params), within: within), as: Status.State.self)
  }

  /// Registers initializers, all or none (S18, S19).
  ///
  /// Returns the names of the registered initializers. ``WorkerService`` does this, and executes the runs.
  package func register(_ initializers: [RegisterParams.Registration]) async throws(ClientError) -> [String] {
    let answer = try await request(.register(RegisterParams(initializers: initializers)))
    return try read(answer, as: RegisterResult.self).registered
  }

  /// Removes initializers, all or none: those of this connection, or those without a live provider (S21).
  package func unregister(_ names: [String], within: Duration? = nil) async throws(ClientError) {
    _ = try await request(.unregister(UnregisterParams(names: names)), within: within)
  }

  /// Runs initializers again, in a pass of their phase after the one in flight: all or none (S26).
  ///
  /// Returns the numbers of the passes, and doesn't wait for them.
  ///
  /// `withDependents` is true if their direct and indirect dependents also run again.
  package func rerun(
    _ initializers: [String], withDependents: Bool = false, within: Duration? = nil
  ) async throws(ClientError) -> [Int] {
    let params = RerunParams(initializers: initializers, withDependents: withDependents)
    return try read(try await request(.rerun(params), within: within), as: RerunResult.self).passes
  }

  /// Cancels the runs of initializers, and ends the delays of those between two attempts: all or none (S34).
  ///
  /// Returns the names of the initializers once the runs have stopped.
  package func cancelRuns(of initializers: [String], within: Duration? = nil) async throws(ClientError) -> [String] {
    let answer = try await request(.cancelRun(CancelRunParams(initializers: initializers)), within: within)
    return try read(answer, as: DeactivateResult.self).cancelled
  }

  /// Returns the last output lines of commands, oldest first; of one initializer, or of all.
  ///
  /// `failed` selects the kept lines of failed attempts, `pass` those of a pass.
  ///
  /// All pages are requested; `within` is the limit for each.
  package func logs(
    of initializer: String? = nil, limit: Int = 1000, failed: Bool = false, pass: Int? = nil, within: Duration? = nil
  ) async throws(ClientError) -> LogsResult {
    let params = LogsParams(initializer: initializer, limit: limit, failed: failed, pass: pass)
    return try await logs(params, from: try await request(.logs(params), within: within), within: within)
  }

  /// Returns the lines of an answer to `logs`, and of the pages after it.
  func logs(
    _ params: LogsParams, from first: RawJSON, within: Duration? = nil
  ) async throws(ClientError) -> LogsResult {
    var pages = [try read(first, as: LogsResult.self)]
    while let before = pages[pages.count - 1].before {
      var next = params
      next.before = before
      pages.append(try read(try await request(.logs(next), within: within), as: LogsResult.self))
    }
    var result = LogsResult(lines: pages.reversed().flatMap(\.lines))
    result.dropped = pages[0].dropped
    result.droppedBy = pages[0].droppedBy
    return result
  }

  /// Returns the last passes and their runs, the newest last.
  ///
  /// All pages are requested; `within` is the limit for each.
  package func history(
    _ params: HistoryParams = HistoryParams(), within: Duration? = nil
  ) async throws(ClientError) -> HistoryResult {
    var result = try read(try await request(.history(params), within: within), as: HistoryResult.self)
    var next = params
    next.usual = false
    while let before = result.before {
      next.before = before
      result.prepend(try read(try await request(.history(next), within: within), as: HistoryResult.self))
    }
    return result
  }

  /// Makes the supervisor read its configuration again, and apply the changes (S27).
  ///
  /// Mistakes throw `refused` with the code `invalidManifest`, and the error's detail has the findings.
  package func reload(
    dryRun: Bool = false, withDependents: Bool = false, within: Duration? = nil
  ) async throws(ClientError) -> ReloadResult {
    let params = ReloadParams(dryRun: dryRun, withDependents: withDependents)
    return try read(try await request(.reload(params), within: within), as: ReloadResult.self)
  }

  /// Shuts the supervisor down (S24).
  ///
  /// Returns before the shutdown has finished.
  package func shutdown() async throws(ClientError) -> ShutdownResult {
    try read(try await request(.shutdown), as: ShutdownResult.self)
  }
}
