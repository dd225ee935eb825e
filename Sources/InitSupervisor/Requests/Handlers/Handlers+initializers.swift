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
    // A process without `ready` is no initializer: it is restarted.
    let processes = initializers.filter { !requests.shared.isKnown($0) && requests.processes.keeps($0) }
    let initializers = initializers.filter { !processes.contains($0) }
    do throws(Refusal) { try requests.processes.checkNotStopped(processes) } catch { throw WireError(error) }
    try requests.shared.control(.rerunRequested(initializers, withDependents: withDependents))
    requests.processes.restart(processes, by: Accounts.name(ofUser: call.session.peer.uid))
    if withDependents { requests.processes.restartDependents(of: initializers) }
    let dependents = withDependents ? " and what depends on it" : ""
    requests.shared.logger.info("\(call.session.name) reruns \(NameList.shown(self.initializers))\(dependents)")
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
      if let process {
        // A value that isn't there yet leaves the texts as they are.
        let directory = (try? requests.processes.directory(of: process)) ?? process.command.directory
        return call.answer(result(try requests.processes.variables(of: process), directory))
      }
      guard let declared, let command = declared.command else {
        return call.refuse(unsuitable(requests))
      }
      let commands = requests.execution.commands
      let directory = (try? commands.directory(of: declared.declaration, command)) ?? command.directory
      call.answer(result(try commands.variables(of: declared.declaration, command), directory))
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

  private func result(_ variables: [String: String], _ directory: String?) -> Result {
    Result(
      variables: variables,
      directory: directory.map(WorkingDirectory.absolute) ?? WorkingDirectory.current ?? "")
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
