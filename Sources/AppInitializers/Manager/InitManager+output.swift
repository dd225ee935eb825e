extension InitManager {
  /// What the initializer of that type has handed over last, for the app itself; `nil` if it has handed over nothing.
  ///
  /// A launch initializer's output stands until it runs again, an active one's until the next active pass starts (S25). `nil` too if several
  /// initializers are of that type: ask for one of them by its name.
  public func output<Initializer: ContextualInitializer>(of initializer: Initializer.Type) -> Initializer.Output? {
    let names = roster.names(of: initializer)
    return names.count == 1 ? output(of: names[0], as: Initializer.Output.self) : nil
  }

  /// What the initializer of that name has handed over last; `nil` if that is nothing, or no such value.
  public func output<Value: Sendable>(of initializer: String, as type: Value.Type = Value.self) -> Value? {
    outputs.last(of: initializer).flatMap { try? Handed(value: $0).read(as: type) }
  }
}
