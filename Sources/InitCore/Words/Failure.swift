public import InitWords

/// Why a phase failed (S2).
///
/// Each names its initializer.
public enum Failure: Error, Hashable, Sendable {
  /// The initializers depend on each other: the whole cycle in order, each depending on the next, the first one repeated at the end.
  case circularDependency([String])
  /// `initializer` needs `dependency`, which isn't declared.
  case missingDependency(initializer: String, dependency: String)
  /// Two initializers have this name.
  case duplicateInitializer(String)
  /// A run of this initializer failed, and no attempt is left.
  case initializerFailed(String, Cause)

  /// The initializer at fault: for a cycle, its first one.
  public var initializer: String {
    switch self {
    case .circularDependency(let cycle): cycle.first ?? ""
    case .missingDependency(let initializer, _): initializer
    case .duplicateInitializer(let name): name
    case .initializerFailed(let name, _): name
    }
  }
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
