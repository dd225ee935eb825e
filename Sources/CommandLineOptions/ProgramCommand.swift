/// A group of options: shared by several commands, or one command's own.
package protocol OptionGroup: SendableMetatype {
  /// Creates the group with the default value of each option.
  init()

  /// Visits the options and arguments.
  ///
  /// Visits all options and arguments, each listed once, for parsing and for help.
  ///
  /// - Throws: an error for the first option that is invalid or missing.
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
  /// The name and texts in help.
  static var help: CommandHelp { get }

  /// Checks combinations of options; called after all of them are read.
  func validate() throws(UsageError)

  /// Runs the command.
  ///
  /// - Throws: the exit status as a `ProgramStatus`, or an error that hasn't been reported.
  func run() throws
}

extension ProgramCommand {
  package func validate() throws(UsageError) {}
}

/// The texts of a command's help page.
package struct CommandHelp: Sendable {
  package let name: String
  let summary: String
  let discussion: String

  /// - Parameters:
  ///   - name: the name of the command.
  ///   - summary: a summary of one sentence.
  ///   - discussion: details and examples at the end of the page. Lines that begin with a space aren't wrapped.
  package init(_ name: String, _ summary: String, discussion: String = "") {
    self.name = name
    self.summary = summary
    self.discussion = discussion
  }
}
