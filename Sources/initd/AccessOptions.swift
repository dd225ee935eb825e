import ArgumentParser
import Glibc
import InitSupervisor

/// The options for access to the supervisor.
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Permissions of the socket, in octal (default: 600).", valueName: "mode"),
    transform: AccessOptions.mode)
  var socketMode: UInt32?

  @Option(
    help: ArgumentHelp("Group of the socket. Default: the group of initd.", valueName: "group"),
    transform: AccessOptions.group)
  var socketGroup: UInt32?

  @Option(
    name: .customLong("allow-observe"),
    help: ArgumentHelp(
      "Allow a user, or @ and a group, to observe: status, events, logs. Root and the user of initd may do everything.",
      valueName: "who"),
    transform: AccessOptions.peers)
  var observers: [Permissions.Peers] = []

  @Option(
    name: .customLong("allow-control"),
    help: ArgumentHelp(
      "Allow a user or @group to observe, launch, activate, deactivate and shut down.", valueName: "who"),
    transform: AccessOptions.peers)
  var controllers: [Permissions.Peers] = []

  @Option(
    name: .customLong("allow-register"),
    help: ArgumentHelp(
      "Allow a user or @group to observe, and to register initializers as a worker.", valueName: "who"),
    transform: AccessOptions.peers)
  var registrars: [Permissions.Peers] = []

  @Option(
    help: ArgumentHelp("A second socket, at which every client may only observe.", valueName: "path"))
  var observeSocket: String?

  @Option(
    help: ArgumentHelp("Permissions of the second socket, in octal (default: 666).", valueName: "mode"),
    transform: AccessOptions.mode)
  var observeSocketMode: UInt32?

  func validate() throws {
    if observeSocketMode != nil, observeSocket == nil {
      throw ValidationError("--observe-socket-mode has no effect without a second socket; set --observe-socket")
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

  private static func mode(_ text: String) throws -> UInt32 {
    guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
      throw ValidationError("invalid mode \(text); write it in octal, e.g. 660")
    }
    return mode
  }

  private static func group(_ name: String) throws -> UInt32 {
    guard let number = Accounts.group(name) else {
      throw ValidationError("unknown group \(name); use a group of /etc/group, or a number")
    }
    return number
  }

  private static func peers(_ name: String) throws -> Permissions.Peers {
    if name.hasPrefix("@") {
      return .group(try group(String(name.dropFirst())))
    }
    guard let number = Accounts.user(name) else {
      throw ValidationError("unknown user \(name); use a user of /etc/passwd, a number, or @GROUP")
    }
    return .user(number)
  }
}
