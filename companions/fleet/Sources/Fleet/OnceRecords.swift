/// The value of the key `claim`: which host runs an initializer.
package struct ClaimRecord: Record {
  /// The name of the host.
  package var host: String
  /// Identifies the agent's connection to its supervisor, and the run.
  package var owner: String
  /// What the run reports, for people.
  package var progress: String?

  package init(host: String, owner: String, progress: String? = nil) {
    self.host = host
    self.owner = owner
    self.progress = progress
  }
}

/// The value of the key `failed`: the last failure of an initializer.
package struct FailureRecord: Record {
  /// The name of the host.
  package var host: String
  /// The time of the record, in seconds since the Unix epoch, by that host's clock.
  package var time: Double
  /// The fencing token of the run.
  package var fence: Int
  /// The reason, for people.
  package var message: String

  package init(host: String, time: Double, fence: Int, message: String) {
    self.host = host
    self.time = time
    self.fence = fence
    self.message = message
  }
}

/// The value of the key `done`: which host has completed an initializer.
package struct DoneRecord: Record {
  /// The name of the host.
  package var host: String
  /// The time of the record, in seconds since the Unix epoch, by that host's clock.
  package var time: Double
  /// The fencing token of the run.
  package var fence: Int
  /// The output, a JSON text; nil if there is none, or it is secret.
  package var output: String?
  /// Whether the output is secret, so each host needs a run of its own; nil means no.
  package var secret: Bool?

  package init(host: String, time: Double, fence: Int, output: String?, isSecret: Bool) {
    self.host = host
    self.time = time
    self.fence = fence
    self.output = output
    secret = isSecret ? true : nil
  }

  /// Whether the output is secret.
  package var isSecret: Bool { secret ?? false }
}
