internal import ArgumentParser
internal import Etcd
internal import Fleet
internal import FoundationEssentials

/// Options to find the fleet.
struct FleetOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The endpoints of etcd. Default: $INITFLEET_ETCD.", valueName: "URL,…"))
  var etcd: String?
  @Option(help: ArgumentHelp("The name of the fleet. Default: $INITFLEET_NAME.", valueName: "name"))
  var fleet: String?
  @Option(help: ArgumentHelp("The prefix of all keys.", valueName: "text"))
  var prefix = "/initfleet"
  @Option(
    help: ArgumentHelp(
      "The user of etcd. Default: $INITFLEET_USER. The password is in --password-file, or else in $INITFLEET_PASSWORD.",
      valueName: "name"))
  var user: String?
  @Option(
    help: ArgumentHelp(
      "A file with the password of --user, which other users must not be able to read.", valueName: "file"),
    completion: .file())
  var passwordFile: String?
  @Option(
    help: ArgumentHelp(
      "A file with the certificate authorities to trust for etcd. Default: $INITFLEET_CACERT.", valueName: "file"),
    completion: .file())
  var cacert: String?
  @Option(
    help: ArgumentHelp("A file with this client's certificate. Default: $INITFLEET_CERT.", valueName: "file"),
    completion: .file())
  var cert: String?
  @Option(
    help: ArgumentHelp("A file with the key of --cert. Default: $INITFLEET_KEY.", valueName: "file"),
    completion: .file())
  var key: String?

  func validate() throws {
    if let fleet, !Name.isValid(fleet) {
      throw ValidationError("invalid name \"\(fleet)\" of a fleet; it \(Name.requirement)")
    }
    guard !prefix.isEmpty, !prefix.contains(" ") else {
      throw ValidationError("invalid --prefix \"\(prefix)\"; it must not be empty or contain spaces")
    }
    guard (security.certificate == nil) == (security.key == nil) else {
      throw ValidationError("--cert and --key need each other; give both")
    }
  }

  /// The fleet that the options name.
  ///
  /// - Throws: an error that says what is wrong with the options, with the password's file, or with the certificates' files.
  @FleetActor func connect() throws -> FleetConnection {
    // The client begins with a random endpoint, so the hosts of a fleet use all of them.
    let endpoints = try endpoints().shuffled()
    if security.authorities != nil || security.certificate != nil, let plain = endpoints.first(where: { !$0.isSecure })
    {
      throw UsageError(
        "--cacert, --cert and --key have no effect with \(plain), whose connection isn't encrypted; write https://")
    }
    let name = try name()
    let client = try EtcdClient(
      endpoints: endpoints, security: security, user: try account())
    return FleetConnection(etcd: client, keys: FleetKeys(prefix: prefix, fleet: name), name: name)
  }

  private var security: EtcdSecurity {
    EtcdSecurity(
      authorities: cacert ?? Self.variable("INITFLEET_CACERT"), certificate: cert ?? Self.variable("INITFLEET_CERT"),
      key: key ?? Self.variable("INITFLEET_KEY"))
  }

  private func account() throws -> EtcdUser? {
    guard let user = user ?? Self.variable("INITFLEET_USER") else {
      guard passwordFile == nil else {
        throw UsageError("--password-file has no effect without a user; give --user NAME")
      }
      return nil
    }
    if let passwordFile { return EtcdUser(name: user, password: try PasswordFile.read(passwordFile)) }
    guard let password = Self.variable("INITFLEET_PASSWORD") else {
      throw UsageError("no password for --user: give --password-file FILE, or set INITFLEET_PASSWORD")
    }
    return EtcdUser(name: user, password: password)
  }

  private func endpoints() throws(UsageError) -> [EtcdEndpoint] {
    guard let given = etcd ?? Self.variable("INITFLEET_ETCD"), !given.isEmpty else {
      throw UsageError("no etcd: give --etcd http://HOST:2379, or set INITFLEET_ETCD")
    }
    let endpoints = try given.split(separator: ",").map { part throws(UsageError) in
      var url = String(part.drop { $0 == " " })
      while url.hasSuffix("/") || url.hasSuffix(" ") { url.removeLast() }
      guard let endpoint = EtcdEndpoint(url) else {
        throw UsageError("invalid URL \"\(url)\" for --etcd; write http://HOST:2379")
      }
      return endpoint
    }
    guard !endpoints.isEmpty else { throw UsageError("no URL in --etcd; write http://HOST:2379") }
    return endpoints
  }

  private func name() throws(UsageError) -> String {
    guard let name = fleet ?? Self.variable("INITFLEET_NAME"), !name.isEmpty else {
      throw UsageError("no name of a fleet: give --fleet NAME, or set INITFLEET_NAME")
    }
    guard Name.isValid(name) else {
      throw UsageError("invalid name \"\(name)\" of a fleet; it \(Name.requirement)")
    }
    return name
  }

  /// Returns a variable of the environment; nil if it is empty.
  static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The rule for names of hosts, fleets and leaderships, which is that for names of initializers.
enum Name {
  static let requirement =
    "must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit"

  static func isValid(_ text: String) -> Bool {
    func isLetterOrDigit(_ character: Character) -> Bool {
      character.isASCII && (character.isLetter || character.isNumber)
    }
    guard let first = text.first, text.utf8.count <= 128, isLetterOrDigit(first) else { return false }
    return text.allSatisfy { isLetterOrDigit($0) || "._:/@+-".contains($0) }
  }
}

/// The fleet of a command.
struct FleetConnection: Sendable {
  let etcd: EtcdClient
  let keys: FleetKeys
  /// The name of the fleet.
  let name: String
}
