internal import CommandLineOptions
internal import InitWords

extension ArgumentKind<String> {
  static var initializerName: Self { initializerName(.init()) }

  /// The name of an initializer, or a state that can be awaited.
  static var waitTarget: Self { initializerName(.init(orWords: WaitTarget.words)) }

  /// The name of an initializer, or of a process of the supervisor.
  static var initializerOrProcessName: Self { initializerName(.init(includesProcesses: true)) }

  private static func initializerName(_ names: SupervisorNames) -> Self {
    Self("name", values: .names(names)) { text throws(InvalidArgument) in
      guard InitializerName.isValid(text) else { throw InvalidArgument("it \(InitializerName.requirement)") }
      return text
    }
  }
}

extension [String] {
  /// Checks names of initializers: at least one is needed, and each must be given once.
  ///
  /// `verb` is the action of the command.
  func validate(to verb: String) throws(UsageError) {
    if isEmpty { throw UsageError("missing name; give the names of the initializers to \(verb)") }
    var seen: Set<String> = []
    if let twice = first(where: { !seen.insert($0).inserted }) {
      throw UsageError("\"\(twice)\" is given twice; give each name once")
    }
  }
}

extension ArgumentKind<Int> {
  /// Accepts an integer of at least 0.
  static func amount(_ placeholder: String) -> Self {
    Self("number", placeholder: placeholder) { text throws(InvalidArgument) in
      guard let number = Int(text), number >= 0 else { throw InvalidArgument("write an integer of at least 0") }
      return number
    }
  }
}
