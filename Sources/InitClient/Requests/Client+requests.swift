package import InitWire

// One method for each request of the protocol (§4) but `hello`, `subscribe` and `unsubscribe`. All of them throw
// `ClientError`: `refused` where the supervisor refuses.

extension Client {
  /// The same object, from the other side.
  package func ping(_ params: RawJSON = .emptyObject) async throws(ClientError) -> RawJSON {
    try await request(.ping(params))
  }

  /// The whole picture at one moment.
  package func status() async throws(ClientError) -> StatusShape {
    try read(try await request(.status), as: StatusShape.self)
  }

  /// Asks for launch: retries a failed one, joins one under way (S9, S10). Answered once the event is taken.
  ///
  /// - Parameter within: how long the answer may take; nil for as long as it likes.
  package func launch(within: Duration? = nil) async throws(ClientError) -> LaunchResult {
    try read(try await request(.launch, within: within), as: LaunchResult.self)
  }

  /// Asks for an active pass (S10). Answered once the event is taken, with the number of the pass.
  ///
  /// - Parameters:
  ///   - hold: whether the app is to stay active only as long as this connection lives (S23).
  ///   - within: how long the answer may take; nil for as long as it likes.
  package func activate(hold: Bool = false, within: Duration? = nil) async throws(ClientError) -> ActivateResult {
    try read(try await request(.activate(ActivateParams(hold: hold)), within: within), as: ActivateResult.self)
  }

  /// Gives up this connection's hold, if it has one (S23).
  ///
  /// - Parameter within: how long the answer may take; nil for as long as it likes.
  package func release(within: Duration? = nil) async throws(ClientError) {
    _ = try await request(.release, within: within)
  }

  /// Makes the app inactive, holds included (S11, S23): the names of the runs that this cancelled.
  ///
  /// - Parameters:
  ///   - wait: whether to be answered only once they have stopped.
  ///   - within: how long the answer may take; nil for as long as it likes.
  package func deactivate(wait: Bool = false, within: Duration? = nil) async throws(ClientError) -> DeactivateResult {
    try read(
      try await request(.deactivate(DeactivateParams(wait: wait)), within: within), as: DeactivateResult.self)
  }

  /// Waits until something isn't pending any more: its state then, failed included.
  ///
  /// Throws `refused` with code −32003 when its timeout ran out; the error's detail has the Status then.
  ///
  /// - Parameter within: how long the answer may take, whatever the params' own timeout; for a supervisor that hangs.
  package func wait(_ params: WaitParams, within: Duration? = nil) async throws(ClientError) -> StateShape {
    try read(try await request(.wait(params), within: within), as: StateShape.self)
  }

  /// Provides initializers, all or none (S18, S19): their names. ``WorkerService`` does this, and carries the runs out.
  package func register(_ initializers: [RegistrationShape]) async throws(ClientError) -> [String] {
    let answer = try await request(.register(RegisterParams(initializers: initializers)))
    return try read(answer, as: RegisterResult.self).registered
  }

  /// Takes initializers away, all or none: this connection's, or ones without a live provider (S21).
  ///
  /// - Parameter within: how long the answer may take; nil for as long as it likes.
  package func unregister(_ names: [String], within: Duration? = nil) async throws(ClientError) {
    _ = try await request(.unregister(UnregisterParams(names: names)), within: within)
  }

  /// The last lines that commands wrote, oldest first; of one initializer, or of all.
  package func logs(of initializer: String? = nil, limit: Int = 1000) async throws(ClientError) -> [LogLineShape] {
    let answer = try await request(.logs(LogsParams(initializer: initializer, limit: limit)))
    return try read(answer, as: LogsResult.self).lines
  }

  /// The last passes and their runs, the newest last.
  package func history(limit: Int = 1) async throws(ClientError) -> [PassShape] {
    try read(try await request(.history(HistoryParams(limit: limit))), as: HistoryResult.self).passes
  }

  /// Ends the supervisor (S24): answered before it has ended.
  package func shutdown() async throws(ClientError) {
    _ = try await request(.shutdown)
  }
}
