/// Options that commands have in common, or one command's own.
package protocol OptionGroup: SendableMetatype {
  /// With the value that each option has if it isn't given.
  init()

  /// Goes through the options and arguments: each is listed here once, for reading as for help.
  ///
  /// - Throws: the first one that is wrong, or missing.
  mutating func visit(_ options: inout Options) throws(UsageError)
}

/// A command of a program.
///
/// ```swift
/// struct LaunchCommand: ProgramCommand {
///   static let help = CommandHelp("launch", "Run the launch initializers.")
///   private var wait = false
///
///   mutating func visit(_ options: inout Options) throws(UsageError) {
///     try options.flag("wait", &wait, help: "Wait until the pass has ended.")
///   }
///   func run() throws { … }
/// }
/// ```
package protocol ProgramCommand: OptionGroup {
  /// What its help says beside its options.
  static var help: CommandHelp { get }

  /// Checks what no single option can tell; called once all of them are read.
  func validate() throws(UsageError)

  /// Does the work.
  ///
  /// - Throws: the `ProgramStatus` to end with, or an error that nobody has told yet.
  func run() throws
}

extension ProgramCommand {
  package func validate() throws(UsageError) {}
}

/// What the help of a command says beside its options.
package struct CommandHelp: Sendable {
  let name: String
  let summary: String
  let discussion: String

  /// - Parameters:
  ///   - name: what the command is called by.
  ///   - summary: what it does, in a sentence.
  ///   - discussion: what comes last: details and examples. Lines that begin with a space stay as they are.
  package init(_ name: String, _ summary: String, discussion: String = "") {
    self.name = name
    self.summary = summary
    self.discussion = discussion
  }
}
