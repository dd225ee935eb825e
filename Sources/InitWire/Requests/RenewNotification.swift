package import InitJSON

/// Tells the supervisor that a claim, or the hold of this connection, lasts longer.
package struct RenewNotification: Notification, Shape {
  package static let method = "renew"

  /// The run; nil for this connection's hold.
  package var run: Int?
  /// How long the claim or hold lasts, in seconds.
  package var lease = 0.0
  /// The moment from which the lease counts, in seconds by CLOCK_MONOTONIC; nil for the moment in which the supervisor reads this.
  package var at: Double?
  /// The same moment by CLOCK_BOOTTIME, which also counts the time while the machine was suspended.
  ///
  /// This moment takes precedence over `at`.
  package var boot: Double?

  package init() {}

  /// Renews a claim or a hold.
  package init(run: Int? = nil, lease: Double, at: Double? = nil, boot: Double? = nil) {
    self.run = run
    self.lease = lease
    self.at = at
    self.boot = boot
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("run", &run, .positive)
    try json.required("lease", &lease, .seconds)
    try json.optional("at", &at, .seconds)
    try json.optional("boot", &boot, .seconds)
  }
}
