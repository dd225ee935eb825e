public import InitWords

/// Why a phase failed (S2).
///
/// Each failure names its initializer.
public enum Failure: Error, Hashable, Sendable {
  /// The initializers depend on each other: the whole cycle in order, each depending on the next, with the first one repeated at the end.
  case circularDependency([String])
  /// `initializer` needs `dependency`, which isn't declared.
  case missingDependency(initializer: String, dependency: String)
  /// Two initializers have this name.
  case duplicateInitializer(String)
  /// A run of this initializer failed, and no attempt is left.
  case initializerFailed(String, Cause)
  /// Several of these failures, in the order in which they happened: the pass continued after the first one (S28).
  indirect case several(Failure, others: [Failure])

  /// The initializer at fault: for a cycle, its first one.
  public var initializer: String {
    switch self {
    case .circularDependency(let cycle): cycle.first ?? ""
    case .missingDependency(let initializer, _): initializer
    case .duplicateInitializer(let name): name
    case .initializerFailed(let name, _): name
    case .several(let first, _): first.initializer
    }
  }

  /// The failure that happened last, which has stopped the pass if one has.
  var last: Failure { if case .several(let first, let others) = self { others.last ?? first } else { self } }

  /// The single failures, in the order in which they happened.
  public var all: [Failure] { if case .several(let first, let others) = self { [first] + others } else { [self] } }
}

extension Failure: CustomStringConvertible {
  /// A sentence that says what failed, and why.
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
    case .several(let first, let others): first.description + Self.also(others)
    }
  }

  /// How many other initializers are named.
  private static let namedOthers = 8

  private static func also(_ others: [Failure]) -> String {
    let rest = others.count - namedOthers
    return "; also failed: " + others.prefix(namedOthers).map(\.initializer).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
