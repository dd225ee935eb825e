internal import ArgumentParser

/// Whether a command waits for the end of the pass.
struct WaitingOptions: ParsableArguments {
  @Flag(help: "Wait until the pass has ended.") var wait = false

  @Option(help: ArgumentHelp("With --wait, give up after this time. Default: never.", valueName: "duration"))
  var timeout: DurationArgument?
}
