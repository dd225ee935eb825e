internal import InitCore
internal import InitWire

/// An initializer has a name that the protocol can't carry, so no client could speak of it.
public struct UnusableName: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let name: String
  /// Whether a Swift object has it.
  public let isOfObject: Bool

  /// What is wrong, and what to do.
  public var description: String {
    let remedy = isOfObject ? "give the initializer a `name` of its own" : "rename the initializer"
    return """
      cannot start: the name "\(TerminalText.escape(name))" can't be used in a supervisor: it \(InitializerName.requirement); \(remedy)
      """
  }
}

extension Supervisor {
  /// Looks for names that the protocol can't carry (protocol §4).
  ///
  /// - Throws: the first one.
  func checkNames() throws(UnusableName) {
    for initializer in read({ $0.initializers }) {
      let name = initializer.declaration.name
      guard !InitializerName.isValid(name) else { continue }
      throw UnusableName(name: name, isOfObject: initializer.provider == .inProcess)
    }
  }
}
