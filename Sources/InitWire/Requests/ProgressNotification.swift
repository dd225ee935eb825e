package import InitJSON

/// Tells the supervisor the progress of a run (S17).
package struct ProgressNotification: Notification, Shape {
  package static let method = "progress"

  /// The run that reports.
  package var run: Int
  /// The progress, 0…1.
  package var fraction: Double?
  /// The current activity, for people.
  package var message: String?
  /// The run's new timeout, if it has one, in seconds from now (S15).
  package var extend: Double?

  /// Creates a progress report of a run.
  package init(run: Int, fraction: Double? = nil, message: String? = nil, extend: Double? = nil) {
    self.run = run
    self.fraction = fraction
    self.message = message
    self.extend = extend
  }

  package init() { self.init(run: 0) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.optional("fraction", &fraction, .fraction)
    try json.optional("message", &message)
    try json.optional("extend", &extend, .seconds)
  }
}
