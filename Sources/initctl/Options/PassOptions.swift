internal import CommandLineOptions
internal import InitWords

/// Options to choose the pass that a command explains.
struct PassOptions: OptionGroup {
  /// The phases whose newest pass can be chosen.
  private enum Choice: String, CaseIterable {
    case launch
    case active
    case all
  }

  /// The number of the pass.
  var pass: Int?
  /// The phase whose newest pass is meant.
  var phase: Phase?
  /// Whether the options select launch and the active pass that waited for it, as one pass.
  private(set) var isJoint = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "pass", &pass, .count("n"),
      help: "The number of the pass. Default: the pass in flight, or the newest pass that ran an initializer.")
    var choice: Choice?
    try options.option(
      "phase", &choice, .word("phase"),
      help: """
        The newest pass of this phase: launch or active. With all: the active pass and the launch that it waited for, as one pass.
        """)
    phase = choice.flatMap { Phase(rawValue: $0.rawValue) }
    isJoint = choice == .all
    if pass != nil, choice != nil { try validate(isGiven: true) }
  }

  /// - Throws: if both are given.
  func validate() throws(UsageError) { try validate(isGiven: phase != nil) }

  private func validate(isGiven: Bool) throws(UsageError) {
    if pass != nil, isGiven { throw UsageError("--pass and --phase can't be combined; give one of them") }
  }
}
