internal import CommandLineOptions

/// Options to find the supervisor, before or after the command's name.
struct ConnectionOptions: OptionGroup {
  private(set) var socket: String?
  private(set) var project: String?
  private(set) var connectTimeout: Duration?
  private(set) var replyTimeout = Duration.seconds(25)

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "socket", &socket, .file("path"),
      help:
        "The supervisor's socket. Default: $INITD_SOCKET, else that of the project: the nearest folder from here upwards with an init.yaml; else $XDG_RUNTIME_DIR/initd.sock, else /run/initd.sock for root."
    )
    try options.option(
      "project", &project, .directory("dir"),
      help: "The supervisor of the project in this folder, instead of the nearest one.")
    try options.option(
      "connect-timeout", &connectTimeout, .duration,
      help: "How long to wait for a supervisor that isn't running yet. Default: not at all.")
    try options.option(
      "reply-timeout", &replyTimeout, .duration,
      help: "End with status 69 if the supervisor doesn't answer for this time. Default: 25s.")
    if socket != nil, project != nil { throw UsageError("--socket and --project are both given; remove one of them") }
    guard replyTimeout > .zero else { throw UsageError("--reply-timeout must be more than 0; write e.g. 5s") }
  }
}
