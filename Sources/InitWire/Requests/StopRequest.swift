package import InitJSON

/// Stops processes until somebody starts them.
package struct StopRequest: ProcessesRequest {
  package static let method = "stop"

  package var names: [String] = []
  /// Whether a person runs the processes by hand from then on; another process that answers counts as the stopped one.
  package var external = false

  package init() {}

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try visitNames(&json)
    try json.optional("external", &external)
  }

  package typealias Result = ProcessChanges
}
