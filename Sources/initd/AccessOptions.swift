import CommandLineOptions
import Glibc
import InitServer
import InitSupervisor
import Platform

/// The options for access to the supervisor.
struct AccessOptions: OptionGroup {
  private(set) var socketMode: UInt32?
  private(set) var socketGroup: UInt32?
  private(set) var observeSocket: String?
  private(set) var observeSocketMode: UInt32?
  private var observers: [Permissions.Peers] = []
  private var controllers: [Permissions.Peers] = []
  private var registrars: [Permissions.Peers] = []

  mutating func visit(_ options: inout Options) throws(UsageError) {
    options.section("Access")
    try options.option(
      "socket-mode", &socketMode, .mode, help: "Permissions of the socket, in octal (default: 600).")
    try options.option(
      "socket-group", &socketGroup, .group, help: "Group of the socket. Default: the group of initd.")
    try options.option(
      "allow-observe", &observers, .peers,
      help:
        "Allow a user, or @ and a group, to observe: status, events, logs. Root and the user of initd may do everything."
    )
    try options.option(
      "allow-control", &controllers, .peers,
      help: "Allow a user or @group to observe, launch, activate, deactivate and shut down.")
    try options.option(
      "allow-register", &registrars, .peers,
      help: "Allow a user or @group to observe, and to register initializers as a worker.")
    try options.option(
      "observe-socket", &observeSocket, .file("path"),
      help: "A second socket, at which every client may only observe.")
    try options.option(
      "observe-socket-mode", &observeSocketMode, .mode,
      help: "Permissions of the second socket, in octal (default: 666).")
  }

  /// Checks the combination of options.
  func validate() throws(UsageError) {
    if observeSocketMode != nil, observeSocket == nil {
      throw UsageError("--observe-socket-mode has no effect without a second socket; set --observe-socket")
    }
  }

  /// Whether the mode of initd's socket excludes all users that the options would allow.
  var keepsOthersOut: Bool {
    !(observers + controllers + registrars).isEmpty && (socketMode ?? 0o600) & 0o066 == 0
  }

  /// Applies the options.
  func apply(to configuration: inout SupervisorConfiguration) {
    if let socketMode { configuration.socketMode = socketMode }
    configuration.socketGroup = socketGroup
    configuration.observeSocketPath = observeSocket
    if let observeSocketMode { configuration.observeSocketMode = observeSocketMode }
    for peers in observers { configuration.permissions.allow(peers, .observe) }
    for peers in controllers { configuration.permissions.allow(peers, .control) }
    for peers in registrars { configuration.permissions.allow(peers, .register) }
  }
}

extension ArgumentKind<UInt32> {
  /// A socket's permissions.
  fileprivate static var mode: Self {
    Self("mode") { text throws(InvalidArgument) in
      guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
        throw InvalidArgument("write it in octal, e.g. 660")
      }
      return mode
    }
  }

  /// A group's number.
  fileprivate static var group: Self {
    Self("group") { name throws(InvalidArgument) in
      guard let number = Accounts.group(name) else {
        throw InvalidArgument("use a group of /etc/group, or a number")
      }
      return number
    }
  }
}

extension ArgumentKind<Permissions.Peers> {
  /// A user, or the members of a group.
  fileprivate static var peers: Self {
    Self("user or @group", placeholder: "who") { name throws(InvalidArgument) in
      if name.hasPrefix("@"), let number = Accounts.group(String(name.dropFirst())) { return .group(number) }
      if let number = Accounts.user(name) { return .user(number) }
      throw InvalidArgument("use a user of /etc/passwd, a number, or @GROUP")
    }
  }
}
