internal import ArgumentParser
internal import Glibc

/// Options of the commands that run beside a supervisor.
struct HostOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The name of this host. Default: $INITFLEET_HOST, or else its host name.", valueName: "name"))
  var host: String?
  @Option(
    help: ArgumentHelp(
      "How long other hosts wait before they take over from this one if it fails, in whole seconds. Must be longer than the supervisor's cancelGrace. Default: 10s.",
      valueName: "duration"), transform: DurationText.parse)
  var lease: Duration?
  @Option(
    help: ArgumentHelp("The supervisor's socket. Default: the same as for initctl.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Option(
    help: ArgumentHelp(
      "How long to wait for a supervisor that isn't running yet. Default: not at all.", valueName: "duration"),
    transform: DurationText.parse)
  var connectTimeout: Duration?

  func validate() throws {
    guard timeToLive >= .seconds(2), timeToLive <= .seconds(86_400), timeToLive.components.attoseconds == 0 else {
      throw ValidationError("invalid --lease; use whole seconds, 2s to 24h")
    }
  }

  /// The lease.
  var timeToLive: Duration { lease ?? .seconds(10) }

  /// The lease, in seconds.
  var leaseSeconds: Int { Int(timeToLive.components.seconds) }

  /// Returns the name of this host.
  ///
  /// - Throws: an error that says that the name can't be used.
  func name() throws(UsageError) -> String {
    let name = host ?? FleetOptions.variable("INITFLEET_HOST") ?? Self.hostName
    guard Name.isValid(name) else {
      throw UsageError("the host name \"\(name)\" can't be used: it \(Name.requirement); give --host NAME")
    }
    return name
  }

  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
