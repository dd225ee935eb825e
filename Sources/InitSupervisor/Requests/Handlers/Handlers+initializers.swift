internal import InitCore
internal import InitModel
internal import InitWire
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
    requests.logger.info("\(call.session.name) reruns \(Warnings.shown(initializers))\(dependents)")
    let passes = requests.shared.read { $0.passes(rerunning: initializers, withDependents: withDependents) }
    call.answer(Result(passes: passes.map(\.rawValue)))
  }
}

extension CancelRunRequest: HandledRequest {
  /// Cancels the runs, and answers once they have stopped (S34).
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    let user = Accounts.name(ofUser: call.session.peer.uid)
    try requests.shared.control(.runsCancelled(initializers, by: user))
    requests.logger.info("\(user) cancels \(Warnings.shown(initializers))")
    let runs = requests.shared.read { $0.cancelledRuns(of: initializers) }
    guard !runs.isEmpty else { return call.answer(Result(cancelled: initializers)) }
    let out = call.session.out
    try requests.waits.add(
      Wait(id: call.id, session: out.id, target: .stopped, cancelled: initializers, runs: runs), of: out)
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
