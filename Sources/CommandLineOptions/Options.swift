/// The options and arguments of a command, as `visit(_:)` goes through them: they are described, and read if there is a command line.
package struct Options {
  private(set) var described: [OptionDescription] = []
  private var section = "Options"
  /// Nil if they are only described.
  private var given: GivenWords?

  private init(reading given: GivenWords? = nil) {
    self.given = given
  }

  /// What a type lists.
  static func described(by type: (some OptionGroup).Type) -> [OptionDescription] {
    var options = Options()
    var group = type.init()
    // Only reading throws.
    try? group.visit(&options)
    return options.described
  }

  /// A value of a type, with what is given.
  static func read<Group: OptionGroup>(_ type: Group.Type, from given: GivenWords) throws(UsageError) -> Group {
    var options = Options(reading: given)
    var group = type.init()
    try group.visit(&options)
    try options.finish()
    return group
  }

  /// The heading in help of all options that follow.
  package mutating func section(_ title: String) {
    section = title
  }

  /// An option without a value, `--name`.
  package mutating func flag(_ name: String, _ value: inout Bool, help: String) throws(UsageError) {
    if try !words(OptionDescription(.flag, name, section: section, help: help)).isEmpty { value = true }
  }

  /// An option with a value, `--name value` or `--name=value`; the last one counts.
  package mutating func option<Value>(
    _ name: String, _ value: inout Value, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    if let last = try values(option(name, kind, help), kind).last { value = last }
  }

  /// An option with a value, which is nil if it isn't given; the last one counts.
  ///
  /// - Parameter once: whether giving it twice is wrong.
  package mutating func option<Value>(
    _ name: String, _ value: inout Value?, _ kind: ArgumentKind<Value>, once: Bool = false, help: String
  ) throws(UsageError) {
    let found = try values(option(name, kind, help), kind)
    guard !once || found.count < 2 else { throw UsageError("--\(name) is given twice; give one \(kind.noun)") }
    if let last = found.last { value = last }
  }

  /// An option that may be given several times, each time with one more value.
  package mutating func option<Value>(
    _ name: String, _ value: inout [Value], _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    value += try values(option(name, kind, help), kind)
  }

  /// An argument that must be there.
  package mutating func argument<Value>(
    _ name: String, _ value: inout Value, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    let argument = OptionDescription(.argument, name, section: "Arguments", help: help, isRequired: true)
    if let only = try values(argument, kind).first { value = only }
  }

  /// An argument that may be left out.
  package mutating func argument<Value>(
    _ name: String, _ value: inout Value?, _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    let argument = OptionDescription(.argument, name, section: "Arguments", help: help)
    if let only = try values(argument, kind).first { value = only }
  }

  /// All further arguments.
  package mutating func arguments<Value>(
    _ name: String, _ value: inout [Value], _ kind: ArgumentKind<Value>, help: String
  ) throws(UsageError) {
    value = try values(OptionDescription(.arguments, name, section: "Arguments", help: help), kind)
  }

  /// All words after `--`, whatever they look like: a program and its arguments.
  package mutating func command(
    _ name: String, _ value: inout [String], isRequired: Bool, help: String
  ) throws(UsageError) {
    let command = OptionDescription(.command, name, section: "Arguments", help: help, isRequired: isRequired)
    value = try words(command)
  }

  /// - Throws: if there are more arguments than options have taken.
  private func finish() throws(UsageError) {
    guard let extra = given?.arguments.first else { return }
    let remedy = described.first { $0.kind == .command }.map { "; write the \($0.name) after --" } ?? ""
    throw UsageError("unexpected argument \"\(extra)\"\(remedy)")
  }

  private func option(_ name: String, _ kind: ArgumentKind<some Any>, _ help: String) -> OptionDescription {
    OptionDescription(
      .option, name, section: section, help: help, noun: kind.noun, placeholder: kind.placeholder)
  }

  private mutating func values<Value>(
    _ option: OptionDescription, _ kind: ArgumentKind<Value>
  ) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for word in try words(option) {
      do throws(InvalidArgument) {
        values.append(try kind.read(word))
      } catch {
        let place = option.kind == .option ? " for --\(option.name)" : ""
        throw UsageError("invalid \(kind.noun) \"\(word)\"\(place)\(error.explanation)")
      }
    }
    return values
  }

  private mutating func words(_ option: OptionDescription) throws(UsageError) -> [String] {
    described.append(option)
    return try given?.take(option) ?? []
  }
}

/// An option or argument as help and the command line know it.
struct OptionDescription: Sendable {
  enum Kind { case flag, option, argument, arguments, command }

  let kind: Kind
  let name: String
  /// The heading it stands under.
  let section: String
  let help: String
  /// What its value is, for people.
  let noun: String
  /// What stands for its value in help.
  let placeholder: String
  let isRequired: Bool

  init(
    _ kind: Kind, _ name: String, section: String, help: String, noun: String = "", placeholder: String = "",
    isRequired: Bool = false
  ) {
    self.kind = kind
    self.name = name
    self.section = section
    self.help = help
    self.noun = noun
    self.placeholder = placeholder
    self.isRequired = isRequired
  }
}
