internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Logging

/// The messages to the coordinator, and from it (PROTOCOL.md, "The coordinator").
extension Coordination {
  // MARK: To it

  func sendClaim(_ run: Int) {
    guard let once = runs[run] else { return }
    let start = once.work.context.start
    request(
      "claim-\(run)",
      .claim(
        ClaimParams(
          run: run, initializer: start.initializer, release: once.release, pass: start.pass, phase: start.phase,
          attempt: start.attempt, timeout: start.timeout?.inSeconds, secret: once.isSecret)))
    report(run, "asks the coordinator")
  }

  func sendCompletion(of run: Int) {
    guard let once = runs[run] else { return }
    let output = once.work.context.handedOver.flatMap { try? RunOutput(passingOn: $0, limit: limits.outputBytes) }
    let shown = output.flatMap { $0.isSecret || once.isSecret ? nil : $0.value }
    request("complete-\(run)", .complete(CompleteParams(run: run, output: shown)))
  }

  private func request(_ id: String, _ request: SupervisorRequest) {
    guard let coordinator, let frame = try? Message.request(id: .string(id), request) else { return }
    coordinator.out.send(frame)
  }

  func notify(_ notification: InitWire.Notification) {
    guard let coordinator, let frame = try? Message.notification(notification) else { return }
    coordinator.out.send(frame)
  }

  /// The coordinator has answered a request. False if the answer isn't its.
  func takeAnswer(_ id: RequestID?, _ outcome: Envelope.Outcome, _ session: Session) -> Bool {
    guard session.id == coordinator?.id, case .string(let text)? = id else { return false }
    if let run = Self.run(of: text, "claim-"), runs[run] != nil {
      takeDecision(run, outcome)
      return true
    }
    if let run = Self.run(of: text, "complete-"), runs[run] != nil {
      switch outcome {
      case .result: take(.recorded(run: run))
      case .error(let error): take(.refused(run: run, error.message))
      }
      return true
    }
    return false
  }

  private static func run(of id: String, _ prefix: String) -> Int? {
    guard id.hasPrefix(prefix), let run = Int(id.dropFirst(prefix.count)), id == "\(prefix)\(run)" else { return nil }
    return run
  }

  private func takeDecision(_ run: Int, _ outcome: Envelope.Outcome) {
    guard let once = runs[run] else { return }
    let name = once.work.context.initializer
    do throws(ShapeFault) {
      switch outcome {
      case .error(let error): return take(.refused(run: run, error.message))
      case .result(let json):
        let result = try json.read(ClaimResult.self, .strict)
        switch (result.decision.known, result.fence) {
        case (.run, let fence?):
          logger.info("\(name): claimed for release \(once.release), fencing token \(fence)")
          return take(.granted(run: run, fence: fence, lease: result.lease.map { .seconds($0) }))
        case (.run, nil): throw ShapeFault(path: ".fence", reason: "must be given")
        case (.done, _): return takeDone(run, once, result)
        case (nil, _): throw ShapeFault(path: ".decision", reason: "must be run or done")
        }
      }
    } catch {
      refuse(run, "the coordinator's answer can't be used: \(error)")
    }
  }

  private func takeDone(_ run: Int, _ once: OnceRun, _ result: ClaimResult) {
    let name = once.work.context.initializer
    if let value = result.output {
      do throws(RunOutput.Fault) {
        let output = try RunOutput(Array(value.bytes), limit: limits.outputBytes)
        once.work.context.handOver(RemoteOutput(output: output))
      } catch {
        return refuse(run, "the recorded output can't be used: \(error)")
      }
    }
    let message = result.message ?? "completed on another host"
    decisions[name] = OnceShape(release: once.release, message: message)
    executed.remove(name)
    logger.info("\(name): \(message), for release \(once.release)")
    take(.done(run: run))
  }

  private func refuse(_ run: Int, _ reason: String) {
    logger.warning("\(reason)")
    notify(.unclaim(UnclaimParams(run: run, outcome: .failed, message: reason)))
    take(.refused(run: run, reason))
  }

  /// The coordinator reports on a run. False if the report isn't its.
  func takeProgress(_ params: ProgressParams, _ session: Session) -> Bool {
    guard session.id == coordinator?.id, claims.contains(params.run), !claims.isHeld(params.run) else { return false }
    try? core.apply(
      .runProgressed(
        run: params.run, fraction: params.fraction, message: params.message, extend: params.extend.map { .seconds($0) })
    )
    return true
  }

  func takeRenewal(_ params: RenewParams, _ session: Session) {
    guard session.id == coordinator?.id else { return }
    take(.renewed(run: params.run, lease: .seconds(params.lease)))
  }

  func takeRevocation(_ params: RevokeParams, _ session: Session) {
    guard session.id == coordinator?.id else { return }
    if let run = runs[params.run] {
      logger.warning("\(run.work.context.initializer): the claim was revoked: \(params.message ?? "no reason given")")
    }
    take(.revoked(run: params.run, params.message))
  }
}
