internal import InitCore
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import Platform

extension StopRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.checkProcesses(names)
    if external, let name = requests.processes.firstUnprobed(names) {
      throw .invalidParams(
        "params.names",
        "\(name) can't be run by hand: its ready isn't tcp, http, unix, path or command, so nothing says who answers")
    }
    let before = requests.processes.stop(names, by: call.user, isExternal: external)
    requests.processes.whenStopped(names) { call.answer(Result(names, except: before)) }
  }
}

extension StartRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.checkProcesses(names)
    try requests.checkUnanswered(names)
    let before = requests.processes.start(names, by: call.user)
    requests.processes.whenStopped(names) { call.answer(Result(names, except: before)) }
  }
}

extension RestartRequest: HandledRequest {
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError) {
    try requests.checkProcesses(names)
    try requests.checkUnanswered(names)
    requests.processes.restart(names, by: call.user)
    requests.processes.whenStopped(names) { call.answer(Result(names)) }
  }
}

extension Requests {
  /// Checks that all of these are processes, so a request is carried out for all of them or for none.
  fileprivate func checkProcesses(_ names: [String]) throws(WireError) {
    guard processes.stopCount < shared.limits.allWaits else {
      throw WireError(
        .limitExceeded,
        "\(shared.limits.allWaits) requests wait for processes to stop; wait for them, or raise --limit allWaits",
        detail: .limit("allWaits"))
    }
    if shared.isEnding { throw WireError(Refusal.shuttingDown) }
    for name in names where !processes.keeps(name) {
      guard shared.isKnown(name) else { throw .unknown(name) }
      throw .invalidParams(
        "params.names",
        "\(name) isn't a process: initctl cancel \(name) ends its run, and initd --skip \(name) leaves it out")
    }
  }
}

extension Requests {
  /// Checks that nobody else answers in the place of one of these.
  fileprivate func checkUnanswered(_ names: [String]) throws(WireError) {
    if let (name, why) = processes.firstExcluded(names) {
      throw .invalidParams("params.names", "\(name) is left out: \(why)")
    }
    guard let name = processes.firstAnswered(names) else { return }
    throw WireError(
      .nameConflict,
      "cannot start \(name): somebody else answers in its place; end that process, then initctl start \(name)")
  }
}

extension Call {
  /// The name of the user who has sent it.
  fileprivate var user: String { Accounts.name(ofUser: session.peer.uid) }
}

extension ProcessChanges {
  /// Creates the answer for these processes, of which some were as requested already.
  fileprivate init(_ names: [String], except before: Set<String> = []) {
    self.init(processes: names.map { Change(name: $0, changed: !before.contains($0)) })
  }
}
