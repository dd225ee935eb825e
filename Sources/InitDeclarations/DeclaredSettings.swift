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
  /// The ports, by name.
  package var ports: [String: DeclaredPort]
  /// What matters only when the supervisor starts.
  package var start = Start()

  /// The settings that are also options of `initd`, and matter only when it starts; paths are as written.
  package struct Start: Hashable, Sendable {
    /// The path of the socket.
    package var socket: String?
    /// The state directory.
    package var stateDirectory: String?
    /// Which output goes to the log: `all`, `failed` or `none`.
    package var output: String?
  }

  /// Declares these settings.
  package init(
    machine: Machine.Configuration, release: String? = nil, environment: [String: String] = [:],
    activates: Bool = false, ports: [String: DeclaredPort] = [:]
  ) {
    self.machine = machine
    self.release = release
    self.environment = environment
    self.activates = activates
    self.ports = ports
  }
}
