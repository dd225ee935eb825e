internal import InitCore
internal import InitDeclarations
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitWire
internal import Platform

extension StatusRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) {
    requests.planIfDue()
    call.reply(requests.answers.status)
  }
}

extension SubscribeRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) {
    requests.planIfDue()
    call.reply(requests.answers.subscription(to: Set(topics)))
  }
}

extension UnsubscribeRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) {
    requests.broadcast.unsubscribe(call.session.out)
    call.answer()
  }
}

extension WaitRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.waits.handle(self, id: call.id, of: call.session.out)
    // `initctl wait` in a process: it hasn't begun its work yet.
    guard requests.waits.isWaiting(call.session.id), call.session.name == "initctl", let pid = call.session.peer.pid
    else { return }
    requests.processes.beginWait(call.session.id, pid: pid)
  }
}

extension LogsRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    var request = self
    if let name = initializer {
      guard requests.hasLines(of: name) else { throw .unknown(name) }
      // The lines of a process's output have the name of the process, not of the initializer.
      request.initializer = requests.shared.read { $0.initializer(named: name)?.declaration.process } ?? name
    }
    call.reply(requests.answers.logs(request))
  }
}

extension HistoryRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) { call.reply(requests.answers.history(self)) }
}

extension Requests {
  /// Whether an initializer or process of this name may have lines.
  fileprivate func hasLines(of name: String) -> Bool {
    shared.isKnown(name) || shared.configuration.workers.contains { $0.name == name }
      || records.log.keepsFailure(of: name)
  }
}
