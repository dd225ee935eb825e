internal import InitCore
internal import InitText
internal import InitWords

/// An initializer has a name that the protocol doesn't allow.
public struct UnusableName: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let name: String
  /// Whether a Swift object has it.
  public let isOfObject: Bool
  /// The initializer that lists the name as a dependency; `nil` if it is an initializer's own name.
  public private(set) var dependent: String?

  /// Says what is wrong, and what to do.
  public var description: String {
    let remedy =
      switch (dependent, isOfObject) {
      case (nil, true): "give the initializer a `name` of its own"
      case (nil, false): "rename the initializer"
      case (_?, _): "use the name of the initializer"
      }
    let relation = dependent.map { ", a dependency of \(TerminalText.escape($0))," } ?? ""
    return """
      cannot start: the name "\(TerminalText.escape(name))"\(relation) can't be used in a supervisor: it \(InitializerName.requirement); \
      \(remedy)
      """
  }
}

extension Supervisor {
  /// Checks the names of initializers, and of the dependencies of commands and workers, against the protocol's rule.
  ///
  /// - Throws: the first one.
  func checkNames() throws(UnusableName) {
    for initializer in shared.read({ $0.initializers }) {
      let name = initializer.declaration.name
      let isOfObject = initializer.provider == .inProcess
      guard InitializerName.isValid(name) else { throw UnusableName(name: name, isOfObject: isOfObject) }
      // An object's dependency may be a type without an object: that is a missing dependency.
      if isOfObject { continue }
      let dependency = initializer.declaration.dependencies.first { !InitializerName.isValid($0) }
      if let dependency { throw UnusableName(name: dependency, isOfObject: false, dependent: name) }
    }
  }
}
