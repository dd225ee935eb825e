extension Manifest.Purpose {
  /// The keys of such a manifest.
  var keys: [String] {
    switch self {
    case .supervisor:
      [
        "version", "release", "concurrency", "registrationTimeout", "cancelGrace", "stopTimeout", "environment",
        "initializers", "workers",
      ]
    case .worker: ["version", "cancelGrace", "environment", "initializers"]
    }
  }

  /// The keys of its initializers.
  var initializerKeys: [String] {
    let keys = [
      "command", "worker", "priority", "dependencies", "timeout", "retry", "optional", "perProcess", "secret",
      "description", "workingDirectory", "environment", "stop", "once",
    ]
    return switch self {
    case .supervisor: keys
    case .worker: keys.filter { !["worker", "stop", "once"].contains($0) }
    }
  }

  /// The keys of a process to keep running.
  static let processKeys = ["command", "restart", "backoff", "description", "workingDirectory", "environment"]
}
