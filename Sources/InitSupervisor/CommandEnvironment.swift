internal import InitCore

/// What a command finds in its environment.
enum CommandEnvironment {
  /// The whole environment of one run.
  static func run(
    _ start: RunStart, base: [String: String], own: [String: String], socketPath: String, notifySocket: String?
  ) -> [String: String] {
    var environment = base.merging(own) { _, own in own }
    environment["INITD_SOCKET"] = socketPath
    environment["INITD_INITIALIZER"] = start.initializer
    environment["INITD_RUN"] = String(start.run)
    environment["INITD_PASS"] = String(start.pass)
    environment["INITD_ATTEMPT"] = String(start.attempt)
    environment["NOTIFY_SOCKET"] = notifySocket
    switch start.phase {
    case .launch: environment["INITD_PHASE"] = "launch"
    case .active: environment["INITD_PHASE"] = "active"
    }
    return environment
  }

  /// What a service manager tells its service, and not the service's children.
  static func isPrivate(_ name: String) -> Bool {
    name == "NOTIFY_SOCKET" || name.hasPrefix("LISTEN_") || name.hasPrefix("WATCHDOG_")
  }
}
