extension InitManager {
  /// Returns the last output of the initializer of that type, for the app itself; `nil` if it has none.
  ///
  /// A launch initializer's output is kept until it runs again, an active one's until the next active pass starts (S25). The result is also
  /// `nil` if several initializers have that type: then request one of them by name.
  public func output<Initializer: ContextualInitializer>(of initializer: Initializer.Type) -> Initializer.Output? {
    let names = roster.names(of: initializer)
    return names.count == 1 ? output(of: names[0], as: Initializer.Output.self) : nil
  }

  /// Returns the last output of the initializer of that name; `nil` if it has none, or one of another type.
  public func output<Value: Sendable>(of initializer: String, as type: Value.Type = Value.self) -> Value? {
    outputs.last(of: initializer).flatMap { try? OutputValue(value: $0).read(as: type) }
  }

  /// Returns the last outputs of these initializers, for a program that isn't a run; without those that have none.
  package func outputs(of names: [String]) -> [String: any Sendable] {
    var found: [String: any Sendable] = [:]
    if !outputs.isEmpty { for name in names { found[name] = outputs.last(of: name) } }
    return found
  }
}
