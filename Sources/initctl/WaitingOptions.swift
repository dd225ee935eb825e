internal import ArgumentParser

/// Whether a command waits for the end of what it asks for.
struct WaitingOptions: ParsableArguments {
  @Flag(help: "Wait until it is done.") var wait = false

  @Option(help: ArgumentHelp("How long to wait.", valueName: "duration"))
  var timeout: DurationArgument?
}
