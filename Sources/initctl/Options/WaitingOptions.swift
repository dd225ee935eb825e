internal import CommandLineOptions

/// Whether a command waits until the pass has ended.
struct WaitingOptions: OptionGroup {
  private(set) var wait = false
  private(set) var timeout: Duration?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("wait", &wait, help: "Wait until the pass has ended.")
    try options.option(
      "timeout", &timeout, .duration, help: "With --wait, give up after this time. Default: never.")
  }
}
