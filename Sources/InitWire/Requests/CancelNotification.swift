package import InitJSON
internal import InitModel
package import InitWords

/// Tells a worker to stop a run.
package struct CancelNotification: Notification, Shape {
  package static let method = "cancel"

  /// The run to stop.
  package var run: Int
  /// The reason; nil for a reason that this version doesn't know; the run is still cancelled.
  package var reason: CancelReason?

  /// Creates a request to stop a run.
  package init(run: Int, reason: CancelReason) {
    self.run = run
    self.reason = reason
  }

  package init() { self.init(run: 0, reason: .failed) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    var word = reason.map(Word.known) ?? .unknown("")
    try json.required("reason", &word)
    reason = word.known
  }
}
