package import InitJSON
package import InitModel

/// Tells the coordinator that a claim has ended without a completion.
package struct UnclaimNotification: Notification, Shape {
  package static let method = "unclaim"
  package static let manner = ReadingManner.lenient

  /// The outcome of the run.
  package enum Outcome: String, Sendable, Hashable, CaseIterable { case failed, cancelled }

  package var run = 0
  package var outcome: Word<Outcome> = .unknown("")
  /// Why the run has failed, for people.
  package var message: String?
  /// False if the work may not have stopped, because the connection of its worker was lost or closed.
  package var stopped = true

  package init() {}

  /// Reports how a claim ended.
  package init(run: Int, outcome: Outcome, message: String? = nil) {
    self.run = run
    self.outcome = .known(outcome)
    self.message = message
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.required("outcome", &outcome)
    try json.optional("message", &message)
    try json.sent("stopped", &stopped)
  }
}
