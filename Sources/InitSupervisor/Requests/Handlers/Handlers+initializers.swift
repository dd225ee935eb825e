internal import InitCore
internal import InitDeclarations
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

extension RegisterRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    call.answer(try requests.workers.register(self, call.session))
  }
}

extension UnregisterRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    requests.launches.forget(try requests.workers.unregister(self, call.session))
    call.answer()
  }
}

extension RerunRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.shared.control(.rerunRequested(initializers, withDependents: withDependents))
    let dependents = withDependents ? " and what depends on it" : ""
    requests.shared.logger.info("\(call.session.name) reruns \(NameList.shown(initializers))\(dependents)")
    let passes = requests.shared.read { $0.passes(rerunning: initializers, withDependents: withDependents) }
    call.answer(Result(passes: passes.map(\.rawValue)))
  }
}

extension CancelRunRequest: HandledRequest {
  /// Cancels the runs, and answers once they have stopped (S34).
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    let user = Accounts.name(ofUser: call.session.peer.uid)
    try requests.shared.control(.runsCancelled(initializers, by: user))
    requests.shared.logger.info("\(user) cancels \(NameList.shown(initializers))")
    let runs = requests.shared.read { $0.cancelledRuns(of: initializers) }
    guard !runs.isEmpty else { return call.answer(Result(cancelled: initializers)) }
    let out = call.session.out
    try requests.waits.add(
      Wait(id: call.id, session: out.id, target: .stopped, cancelled: initializers, runs: runs), of: out)
  }
}

extension EnvironmentRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    let process = requests.shared.configuration.workers.first { $0.name == name }
    let declared = requests.shared.configuration.initializers.first { $0.declaration.name == name }
    do throws(Cause) {
      if let process { return call.answer(result(try requests.processes.variables(of: process), process.command)) }
      guard let declared, let command = declared.command else {
        return call.refuse(unsuitable(requests))
      }
      call.answer(result(try requests.execution.commands.variables(of: declared.declaration, command), command))
    } catch {
      throw .invalidParams("params.name", "\(error)")
    }
  }

  /// Returns the error for a name that has no environment.
  private func unsuitable(_ requests: Requests) -> WireError {
    guard requests.shared.isKnown(name) else { return .unknown(name) }
    return .invalidParams(
      "params.name", "\(name) is neither a command nor a process, so the supervisor gives it no environment")
  }

  private func result(_ variables: [String: String], _ command: Command) -> Result {
    Result(
      variables: variables,
      directory: command.directory.map(WorkingDirectory.absolute) ?? WorkingDirectory.current ?? "")
  }
}

extension ReloadRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) {
    requests.onReload(self, call.session.peer.uid, "requested by \(call.session.name)") { outcome in
      switch outcome {
      case .success(let result): call.answer(result)
      case .failure(let error): call.refuse(error)
      }
    }
  }
}

extension CoordinateRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    call.answer(try requests.coordination.register(call.session))
  }
}
