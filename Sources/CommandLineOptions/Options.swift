/// The visitor of a command's options and arguments, for `visit(_:)`: it collects their descriptions, and reads their values if there is a
/// command line.
package struct Options {
  private(set) var described: [OptionDescription] = []
  private var section = "Options"
  /// Nil if only descriptions are collected.
  private var given: GivenWords?

  private init(reading given: GivenWords? = nil) {
    self.given = given
  }

  static func described(by type: (some OptionGroup).Type) -> [OptionDescription] {
    var options = Options()
    var group = type.init()
    // The visitor throws only when it reads.
    try? group.visit(&options)
    return options.described
  }

  /// Creates a value of a type, and reads its options.
  static func read<Group: OptionGroup>(_ type: Group.Type, from given: GivenWords) throws(UsageError) -> Group {
    var options = Options(reading: given)
    var group = type.init()
    try group.visit(&options)
    try options.finish()
    return group
  }

  /// Begins a section of the help: the heading of all following options.
  package mutating func section(_ title: String) {
    section = title
  }

  /// Declares an option without a value, `--name`.
  package mutating func flag(_ name: String, _ value: inout Bool, help: String) throws(UsageError) {
    if try !words(OptionDescription(.flag, name, section: section, help: help)).isEmpty { value = true }
  }

  /// Declares an option with a value, `--name value` or `--name=value`.
  ///
  /// Giving the option twice is an error.
  package mutating func option<Value>(
    _ name: String, _ value: inout Value, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    if let only = try single(option(name, kind, help), kind) { value = only }
  }

  /// Declares an option with a value that is nil if it isn't given.
  ///
  /// Giving the option twice is an error.
  package mutating func option<Value>(
    _ name: String, _ value: inout Value?, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    if let only = try single(option(name, kind, help), kind) { value = only }
  }

  /// Declares an option that may be repeated; each occurrence adds a value.
  package mutating func option<Value>(
    _ name: String, _ value: inout [Value], _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    let new = try values(option(name, kind, help, isRepeatable: true), kind)
    // Not `+=`: in a generic function, the runtime then looks up a conformance of Array: about 60,000 instructions at each start.
    for each in new { value.append(each) }
  }

  /// Declares a required argument.
  package mutating func argument<Value>(
    _ name: String, _ value: inout Value, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    let argument = OptionDescription(
      .argument, name, section: "Arguments", help: help, values: kind.values, isRequired: true)
    if let only = try values(argument, kind).first { value = only }
  }

  /// Declares an optional argument.
  package mutating func argument<Value>(
    _ name: String, _ value: inout Value?, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    let argument = OptionDescription(.argument, name, section: "Arguments", help: help, values: kind.values)
    if let only = try values(argument, kind).first { value = only }
  }

  /// Declares the argument that takes all further words.
  package mutating func arguments<Value>(
    _ name: String, _ value: inout [Value], _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    let arguments = OptionDescription(.arguments, name, section: "Arguments", help: help, values: kind.values)
    value = try values(arguments, kind)
  }

  /// Declares a command: all words after `--`, unparsed, as a program and its arguments.
  package mutating func command(
    _ name: String, _ value: inout [String], isRequired: Bool, help: String
  ) throws(UsageError) {
    let command = OptionDescription(.command, name, section: "Arguments", help: help, isRequired: isRequired)
    value = try words(command)
  }

  /// - Throws: if there are more arguments than declared.
  private func finish() throws(UsageError) {
    guard let extra = given?.arguments.first else { return }
    let remedy = described.first { $0.kind == .command }.map { "; write the \($0.name) after --" } ?? ""
    throw UsageError("unexpected argument \"\(extra)\"\(remedy)")
  }

  private func option(
    _ name: String, _ kind: ArgumentKind<some Any>, _ help: String, isRepeatable: Bool = false
  ) -> OptionDescription {
    OptionDescription(
      .option, name, section: section, help: help, noun: kind.noun, placeholder: kind.placeholder,
      values: kind.values, isRepeatable: isRepeatable)
  }

  private mutating func single<Value>(
    _ option: OptionDescription, _ kind: ArgumentKind<Value>
  ) throws(UsageError) -> Value? {
    let values = try values(option, kind)
    guard values.count < 2 else { throw UsageError("--\(option.name) is given twice; give one \(kind.noun)") }
    return values.first
  }

  private mutating func values<Value>(
    _ option: OptionDescription, _ kind: ArgumentKind<Value>
  ) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for word in try words(option) {
      do throws(InvalidArgument) {
        values.append(try kind.read(word))
      } catch {
        let suffix = option.kind == .option ? " for --\(option.name)" : ""
        throw UsageError("invalid \(kind.noun) \"\(word)\"\(suffix)\(error.explanation)")
      }
    }
    return values
  }

  private mutating func words(_ option: OptionDescription) throws(UsageError) -> [String] {
    described.append(option)
    return try given?.nextValues(of: option) ?? []
  }
}

/// The description of an option or argument, for help and parsing.
struct OptionDescription: Sendable {
  enum Kind { case flag, option, argument, arguments, command }

  let kind: Kind
  let name: String
  /// The heading in help.
  let section: String
  let help: String
  /// The name of the option's type, for errors.
  let noun: String
  /// The placeholder of the option's value in help.
  let placeholder: String
  /// The values that a shell completes.
  let values: ArgumentValues
  let isRequired: Bool
  /// Whether the option adds a value each time it is given.
  let isRepeatable: Bool

  init(
    _ kind: Kind, _ name: String, section: String, help: String, noun: String = "", placeholder: String = "",
    values: ArgumentValues = .unknown, isRequired: Bool = false, isRepeatable: Bool = false
  ) {
    self.kind = kind
    self.name = name
    self.section = section
    self.help = help
    self.noun = noun
    self.placeholder = placeholder
    self.values = values
    self.isRequired = isRequired
    self.isRepeatable = isRepeatable
  }
}
