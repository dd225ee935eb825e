package import InitCore

/// What a manifest declares beside its initializers and processes: the settings of the passes, the release and the common variables.
package struct DeclaredSettings: Hashable, Sendable {
  /// The settings of the passes.
  package var machine: Machine.Configuration
  /// The release of the app, for initializers that run once for it; `nil` if it is given in another way.
  package var release: String?
  /// The variables of every command.
  package var environment: [String: String]
  /// Whether the app is active from the start.
  package var activates: Bool

  /// Declares these settings.
  package init(
    machine: Machine.Configuration, release: String? = nil, environment: [String: String] = [:], activates: Bool = false
  ) {
    self.machine = machine
    self.release = release
    self.environment = environment
    self.activates = activates
  }
}
