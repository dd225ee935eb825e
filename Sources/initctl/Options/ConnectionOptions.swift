internal import ArgumentParser

/// Options to find the supervisor, before or after the command's name.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The supervisor's socket. Default: $INITD_SOCKET, else $XDG_RUNTIME_DIR/initd.sock, else /run/initd.sock for root.",
      valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "How long to wait for a supervisor that isn't running yet. Default: not at all.", valueName: "duration"))
  var connectTimeout: DurationArgument?

  /// These options, with values from others for those not given.
  func or(_ others: ConnectionOptions) -> ConnectionOptions {
    var merged = self
    merged.socket = socket ?? others.socket
    merged.connectTimeout = connectTimeout ?? others.connectTimeout
    return merged
  }
}
