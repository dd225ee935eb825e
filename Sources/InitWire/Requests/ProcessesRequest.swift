package import InitJSON

/// A request about processes: for all that it names, or for none.
///
/// The answer comes once each process has exited that has to.
package protocol ProcessesRequest: ClientRequest, Shape where Result == ProcessChanges {
  /// The processes, without duplicates.
  var names: [String] { get set }
}

extension ProcessesRequest {
  package static var roles: [Role] { [.control] }
  package static var since: String { "0.1.0" }
  package var isWait: Bool { true }

  /// Creates the request.
  package init(names: [String]) {
    self.init()
    self.names = names
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) { try visitNames(&json) }

  mutating func visitNames(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(names)
    try json.required("names", &list)
    names = list.names
  }
}

/// The result of `stop`, `start` and `restart`.
package struct ProcessChanges: Sendable, Shape {
  /// The processes, in the order of the request.
  package var processes: [Change] = []

  package init() {}

  /// Creates the answer.
  package init(processes: [Change]) { self.processes = processes }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("processes", &processes)
  }

  /// What a request has done to a process.
  package struct Change: Sendable, Shape {
    /// The process.
    package var name = ""
    /// Whether the request has changed something; not if the process was as requested already.
    package var changed = false

    package init() {}

    /// Creates the description.
    package init(name: String, changed: Bool) {
      self.name = name
      self.changed = changed
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("changed", &changed)
    }
  }
}
