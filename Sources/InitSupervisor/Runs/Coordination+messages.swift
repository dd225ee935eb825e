internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitJSON
internal import InitModel
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import WireConversions

/// The messages to the coordinator, and from it (PROTOCOL.md, "The coordinator").
extension Coordination {
  // MARK: To it

  func sendClaim(_ run: RunID) {
    guard let once = runs[run] else { return }
    let start = once.work.context.start
    runs[run]?.asked = coordinator?.id
    request(
      "claim-\(run)",
      ClaimRequest(
        run: run.rawValue, initializer: start.initializer, release: once.release, pass: start.pass.rawValue,
        phase: start.phase,
        attempt: start.attempt, timeout: start.timeout?.inSeconds, secret: once.isSecret,
        provider: start.worker == nil ? .command : .worker))
    report(run, "asks the coordinator")
  }

  func sendCompletion(of run: RunID) {
    guard let once = runs[run] else { return }
    let output = once.work.context.handedOver.flatMap {
      try? RunOutput(passingOn: $0, limit: shared.limits.runs.outputBytes)
    }
    let isSecret = once.isSecret || output?.isSecret == true
    // The run has done its work: the rest is up to the coordinator and its lease.
    if once.work.context.timeout != nil {
      try? shared.apply(.runProgressed(run: run, fraction: nil, message: nil, extend: .seconds(100_000_000)))
    }
    let params = CompleteRequest(run: run.rawValue, output: isSecret ? nil : output?.value, secret: isSecret)
    if !request("complete-\(run)", params) {
      handle(.unrecorded(run: run, "its output is too long for a message to the coordinator"))
    }
  }

  @discardableResult
  private func request(_ id: String, _ request: some InitWire.Request) -> Bool {
    guard let frame = try? Message.request(id: .string(id), request) else { return false }
    coordinator?.out.send(frame)
    return true
  }

  /// Tells the coordinator that got the request that the claim has ended.
  func unclaim(_ params: UnclaimNotification) {
    guard let coordinator, let once = runs[RunID(params.run)], once.asked == coordinator.id else { return }
    var params = params
    params.message = params.message?.cut()
    if once.mayRun { params.stopped = false }
    guard let frame = try? Message.notification(params) else { return }
    coordinator.out.send(frame)
  }

  /// Returns whether a request to this coordinator is open.
  func isOpen(_ id: RequestID, _ session: Session) -> Bool {
    guard session.id == coordinator?.id, case .string(let text) = id else { return false }
    return Self.run(of: text, "claim-").map(claims.isAsked) ?? Self.run(of: text, "complete-").map(claims.isRecording)
      ?? false
  }

  /// Takes the coordinator's answer to a request.
  ///
  /// Returns false if the answer is for another part.
  func receiveAnswer(_ id: RequestID?, _ outcome: Envelope.Outcome, _ session: Session) -> Bool {
    guard session.id == coordinator?.id, case .string(let text)? = id else { return false }
    if let run = Self.run(of: text, "claim-"), claims.isAsked(run) {
      handleDecision(run, outcome)
      return true
    }
    if let run = Self.run(of: text, "complete-"), claims.isRecording(run) {
      switch outcome {
      case .result: handle(.recorded(run: run))
      case .error(let error): handle(.unrecorded(run: run, error.message.cut()))
      }
      return true
    }
    return false
  }

  private static func run(of id: String, _ prefix: String) -> RunID? {
    guard id.hasPrefix(prefix), let run = Int(id.dropFirst(prefix.count)), id == "\(prefix)\(run)" else { return nil }
    return RunID(run)
  }

  private func handleDecision(_ run: RunID, _ outcome: Envelope.Outcome) {
    guard let once = runs[run] else { return }
    let name = once.work.context.initializer
    do throws(ShapeFault) {
      switch outcome {
      case .error(let error): return handle(.refused(run: run, error.message.cut()))
      case .result(let json):
        let result = try json.read(ClaimRequest.Result.self, .strict)
        switch (result.decision.known, result.fence) {
        case (.run, let fence?):
          shared.logger.info("\(name): claimed for release \(once.release), fencing token \(fence)")
          let end = result.lease.map { shared.loop.beginning(result.at, result.boot) + .seconds($0) }
          return handle(.granted(run: run, fence: fence, lease: end.map { $0 - shared.loop.bootTime }))
        case (.run, nil): throw ShapeFault(path: ".fence", reason: "must be given")
        case (.done, _): return handleDone(run, once, result)
        case (nil, _): throw ShapeFault(path: ".decision", reason: "must be run or done")
        }
      }
    } catch {
      refuse(run, "the coordinator's answer can't be used: \(error)")
    }
  }

  private func handleDone(_ run: RunID, _ once: OnceRun, _ result: ClaimRequest.Result) {
    let name = once.work.context.initializer
    if once.isSecret {
      return refuse(
        run, "the coordinator's answer can't be used: the output of \(name) is secret, so it must run here")
    }
    if let value = result.output {
      do throws(RunOutput.Fault) {
        let output = try RunOutput(Array(value.bytes), limit: shared.limits.runs.outputBytes)
        once.work.context.handOver(RemoteOutput(output: output))
      } catch {
        return refuse(run, "the recorded output can't be used: \(error)")
      }
    }
    let message = result.message?.cut() ?? "completed for this release"
    decisions[name] = Initializer.Once(release: once.release, fence: decisions[name]?.fence, message: message)
    shared.logger.info("\(name): \(message), for release \(once.release)")
    handle(.done(run: run))
  }

  private func refuse(_ run: RunID, _ reason: String) {
    shared.logger.warning("\(reason)")
    unclaim(UnclaimNotification(run: run.rawValue, outcome: .failed, message: reason))
    handle(.refused(run: run, reason))
  }

  /// Takes the coordinator's report on a run.
  ///
  /// Returns false if the report is for another part.
  func receiveProgress(_ params: ProgressNotification, _ session: Session) -> Bool {
    let run = RunID(params.run)
    guard session.id == coordinator?.id, claims.isUndecided(run) else { return false }
    try? shared.apply(
      .runProgressed(
        run: run, fraction: nil, message: params.message, extend: params.extend.map { .seconds($0) }))
    return true
  }

  func receiveRenewal(_ params: RenewNotification, _ session: Session) {
    guard session.id == coordinator?.id, let run = params.run else { return }
    handle(
      .renewed(run: RunID(run), sent: shared.loop.beginning(params.at, params.boot), lease: .seconds(params.lease)))
  }

  func receiveRevocation(_ params: RevokeNotification, _ session: Session) {
    guard session.id == coordinator?.id else { return }
    if let run = runs[RunID(params.run)] {
      shared.logger.warning(
        "\(run.work.context.initializer): the claim was revoked: \(params.message?.cut() ?? "no reason given")")
    }
    handle(.revoked(run: RunID(params.run), params.message?.cut()))
  }
}
