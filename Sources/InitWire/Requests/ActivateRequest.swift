package import InitJSON
package import InitModel

/// Makes the app active: starts or joins an active pass (S10, S23).
///
/// The answer doesn't wait for the pass.
package struct ActivateRequest: ClientRequest, Shape {
  package static let method = "activate"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Whether the app stays active only as long as this connection exists (S23).
  package var hold: Bool
  /// How long the hold lasts, in seconds, unless `renew` extends it.
  ///
  /// When the hold ends, the app is deactivated; nil for no limit.
  package var lease: Double?
  /// The moment from which the lease counts, in seconds by CLOCK_MONOTONIC; nil for the moment in which the supervisor reads this.
  package var at: Double?
  /// The same moment by CLOCK_BOOTTIME, which also counts the time while the machine was suspended.
  ///
  /// This moment takes precedence over `at`.
  package var boot: Double?
  /// The fencing token of the holder, which active runs get.
  package var fence: Int?
  /// Whether the app becomes active even if another client manages it.
  package var force = false

  /// Creates an activation.
  package init(
    hold: Bool = false, lease: Double? = nil, at: Double? = nil, boot: Double? = nil, fence: Int? = nil,
    force: Bool = false
  ) {
    self.hold = hold
    self.lease = lease
    self.at = at
    self.boot = boot
    self.fence = fence
    self.force = force
  }

  package init() { self.init(hold: false) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("hold", &hold)
    try json.optional("lease", &lease, .seconds)
    try json.optional("at", &at, .seconds)
    try json.optional("boot", &boot, .seconds)
    try json.optional("fence", &fence, .positive)
    try json.optional("force", &force)
  }

  /// The result of `activate`.
  package struct Result: Sendable, Shape {
    /// The pass that `activate` started or joined; if it only added a hold, the last active pass.
    package var pass = 0
    /// The active state after the request.
    package var active = Status.State()
    /// The launch state at the same moment.
    package var launch = Status.State()
    /// How long a run may take to stop, in seconds; nil without a lease.
    package var cancelGrace: Double?
    /// The client that decides when the app is active, if no lease holds the app active; nil unless the activation was forced.
    package var manager: String?

    package init() {}

    /// Creates the answer to `activate`.
    package init(
      pass: Int, active: Status.State, launch: Status.State, cancelGrace: Double? = nil, manager: String? = nil
    ) {
      self.pass = pass
      self.active = active
      self.launch = launch
      self.cancelGrace = cancelGrace
      self.manager = manager
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("pass", &pass)
      try json.required("active", &active)
      try json.required("launch", &launch)
      try json.optional("cancelGrace", &cancelGrace)
      try json.optional("manager", &manager)
    }
  }
}
