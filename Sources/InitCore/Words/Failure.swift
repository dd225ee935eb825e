/// Why a phase failed (S2). Each names its initializer.
public enum Failure: Error, Hashable, Sendable {
  /// The initializers need each other. The whole cycle in order, each depending on the next, the first one again at the end.
  case circularDependency([String])
  /// `initializer` needs `dependency`, which nobody declared.
  case missingDependency(initializer: String, dependency: String)
  /// Two initializers have this name.
  case duplicateInitializer(String)
  /// A run of this initializer failed, and no attempt is left.
  case initializerFailed(String, Cause)

  /// The initializer it is about: of a cycle, the one it was entered by.
  public var initializer: String {
    switch self {
    case .circularDependency(let cycle): cycle.first ?? ""
    case .missingDependency(let initializer, _): initializer
    case .duplicateInitializer(let name): name
    case .initializerFailed(let name, _): name
    }
  }
}

/// Why a run failed.
public enum Cause: Error, Hashable, Sendable {
  /// The provider reported an error, in its words.
  case error(message: String)
  /// A command ended with an exit status that isn't 0.
  case exit(status: Int32)
  /// A command was ended by a signal, named as in `SIGKILL`.
  case signal(String)
  /// The run took longer than it may (S15).
  case timeout(after: Duration)
  /// The worker went away during the run (S21), or none came for it (S20).
  case workerLost
  /// The program can't be started, and why.
  case notFound(message: String)
}

extension Failure: CustomStringConvertible {
  /// One sentence: what failed and why.
  public var description: String {
    switch self {
    case .circularDependency(let cycle):
      "cannot run \(initializer): circular dependency \(cycle.joined(separator: " -> "))"
    case .missingDependency(let initializer, let dependency):
      "cannot run \(initializer): its dependency \(dependency) is not declared"
    case .duplicateInitializer(let name):
      "cannot run \(name): two initializers have this name; rename one of them"
    case .initializerFailed(let name, let cause):
      "\(name) failed: \(cause)"
    }
  }
}

extension Cause: CustomStringConvertible {
  /// The reason alone, to stand behind the initializer's name.
  public var description: String {
    switch self {
    case .error(let message): message
    case .exit(let status): "exit status \(status)"
    case .signal(let name): "ended by \(name)"
    case .timeout(let after): "timed out after \((after.inSeconds * 1000).rounded() / 1000) s"
    case .workerLost: "its worker is not connected"
    case .notFound(let message): message
    }
  }
}
