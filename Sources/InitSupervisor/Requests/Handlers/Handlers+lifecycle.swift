internal import InitCore
internal import InitModel
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import WireConversions

extension LaunchRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    guard case .failed = requests.shared.read({ $0.states.launch.state }) else { return try launch(call, requests) }
    requests.onRetry {
      do throws(WireError) { try launch(call, requests) } catch { call.refuse(error) }
    }
  }

  private func launch(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.shared.control(.launched)
    // Only now it is known what launch decides first (S30).
    requests.processes.startNow()
    let launch = requests.shared.read { $0.states.launch }
    call.answer(Result(pass: launch.pass?.rawValue ?? 0, launch: Status.State(launch)))
  }
}

extension ActivateRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    let (shared, holds) = (requests.shared, requests.holds)
    try holds.check(self, call.session)
    let (before, fence) = (shared.read { $0.states.lifecycle }, shared.fence)
    try holds.activate(self, call.session)
    requests.processes.startNow()
    let states = shared.read { $0.states }
    if states.lifecycle == before, shared.fence != fence {
      requests.broadcast.publish(
        .state(Status.Event.StateChange(states, changed: [.lifecycle], fence: shared.fence)),
        to: Topics(.lifecycle))
    }
    call.answer(
      Result(
        pass: states.active.pass?.rawValue ?? 0, active: Status.State(states.active),
        launch: Status.State(states.launch),
        cancelGrace: lease == nil ? nil : requests.shared.configuration.machine.cancelGrace.inSeconds,
        manager: force ? holds.absentManager(of: call.session) : nil))
  }
}

extension ReleaseRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) {
    requests.holds.release(call.session.hold)
    call.answer()
  }
}

extension DeactivateRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    let names = requests.shared.read { $0.cancellable }
    try requests.shared.control(.deactivated)
    guard wait, requests.shared.read({ $0.isActiveStopping }) else { return call.answer(Result(cancelled: names)) }
    let out = call.session.out
    try requests.waits.add(Wait(id: call.id, session: out.id, target: .quiet, cancelled: names), of: out)
  }
}

extension ManageRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.holds.manage(call.session)
    call.answer(Result(cancelGrace: requests.shared.configuration.machine.cancelGrace.inSeconds))
  }
}

extension ShutdownRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) {
    call.answer(Result(exits: requests.shared.configuration.isWholeProcess))
    requests.onShutdown("requested by \(call.session.name)")
  }
}
