internal import CommandLineOptions
internal import InitWords

/// Options to choose the pass that a command explains.
struct PassOptions: OptionGroup {
  /// The number of the pass.
  var pass: Int?
  /// The phase whose newest pass is meant.
  var phase: Phase?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "pass", &pass, .count("n"),
      help: "The number of the pass. Default: the newest pass, the one in flight if there is one.")
    try options.option("phase", &phase, .word("phase"), help: "The newest pass of this phase: launch or active.")
    try validate()
  }

  /// - Throws: if both are given.
  func validate() throws(UsageError) {
    if pass != nil, phase != nil { throw UsageError("--pass and --phase can't be combined; give one of them") }
  }
}
