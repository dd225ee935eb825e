internal import CommandLineOptions
internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitWords
internal import Platform

/// Options to find the fleet.
struct FleetOptions: OptionGroup {
  private var etcd: String?
  private var fleet: String?
  private var prefix = "/initfleet"
  private var user: String?
  private var passwordFile: String?
  private var authorities: String?
  private var certificate: String?
  private var key: String?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    options.section("The fleet")
    try options.option(
      "etcd", &etcd, .text("URL,…"), help: "The endpoints of etcd. Default: $INITFLEET_ETCD.")
    try options.option("fleet", &fleet, .name, help: "The name of the fleet. Default: $INITFLEET_NAME.")
    try options.option("prefix", &prefix, .text("text"), help: "The prefix of all keys. Default: /initfleet.")
    try options.option(
      "user", &user, .text("name"),
      help: "The user of etcd. The password is in --password-file, or else in $INITFLEET_PASSWORD.")
    try options.option(
      "password-file", &passwordFile, .file("file"),
      help: "A file with the password of --user, which other users must not be able to read.")
    try options.option(
      "cacert", &authorities, .file("file"), help: "A file with the certificate authorities to trust for etcd.")
    try options.option("cert", &certificate, .file("file"), help: "A file with this client's certificate.")
    try options.option("key", &key, .file("file"), help: "A file with the key of --cert.")
  }

  /// A client of etcd.
  ///
  /// It begins with any of the endpoints, so the hosts of a fleet use all of them.
  ///
  /// `lease` is the lease that is renewed with it, which must survive a member that is silent. Throws what is wrong with the options, or
  /// with the password's file.
  func etcd(on loop: Loop, lease: Duration) throws -> Etcd {
    let endpoints = try endpoints().shuffled()
    if authorities != nil || certificate != nil || key != nil,
      let plain = endpoints.first(where: { $0.hasPrefix("http:") })
    {
      throw UsageError(
        "--cacert, --cert and --key have no effect with \(plain), whose connection isn't encrypted; write https://",
        of: "initfleet")
    }
    return Etcd(
      loop: loop, endpoints: endpoints,
      security: HTTP.Security(authorities: authorities, certificate: certificate, key: key), user: try account(),
      renewalPatience: min(.seconds(3), max(.milliseconds(300), lease / 10)))
  }

  private func account() throws -> Etcd.User? {
    guard let user else {
      guard passwordFile == nil else {
        throw UsageError("--password-file has no effect without a user; give --user NAME", of: "initfleet")
      }
      return nil
    }
    if let passwordFile { return Etcd.User(name: user, password: try PasswordFile.read(passwordFile)) }
    guard let password = ProcessEnvironment.variables()["INITFLEET_PASSWORD"], !password.isEmpty else {
      throw UsageError("no password for --user: give --password-file FILE, or set INITFLEET_PASSWORD", of: "initfleet")
    }
    return Etcd.User(name: user, password: password)
  }

  private func endpoints() throws(UsageError) -> [String] {
    guard let given = etcd ?? ProcessEnvironment.variables()["INITFLEET_ETCD"], !given.isEmpty else {
      throw UsageError("no etcd: give --etcd http://HOST:2379, or set INITFLEET_ETCD", of: "initfleet")
    }
    let urls = try given.split(separator: ",").map { part throws(UsageError) in
      var url = String(part.drop { $0 == " " })
      while url.hasSuffix("/") || url.hasSuffix(" ") { url.removeLast() }
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        throw UsageError("invalid URL \"\(url)\" for --etcd; write http://HOST:2379", of: "initfleet")
      }
      return url
    }
    guard !urls.isEmpty else { throw UsageError("no URL in --etcd; write http://HOST:2379", of: "initfleet") }
    return urls
  }

  /// The name of the fleet.
  ///
  /// - Throws: that there is none, or that it is invalid.
  func name() throws(UsageError) -> String {
    guard let name = fleet ?? ProcessEnvironment.variables()["INITFLEET_NAME"], !name.isEmpty else {
      throw UsageError("no name of a fleet: give --fleet NAME, or set INITFLEET_NAME", of: "initfleet")
    }
    guard InitializerName.isValid(name) else {
      throw UsageError("invalid name \"\(name)\" in INITFLEET_NAME; it \(InitializerName.requirement)", of: "initfleet")
    }
    return name
  }

  /// The fleet's keys.
  ///
  /// - Throws: what is wrong with its name.
  func keys() throws(UsageError) -> FleetKeys { FleetKeys(prefix: prefix, fleet: try name()) }
}

extension ArgumentKind<String> {
  /// The name of a host, a fleet or a leadership; it follows the rule for names of initializers.
  static var name: Self {
    Self("name") { text throws(InvalidArgument) in
      guard InitializerName.isValid(text) else { throw InvalidArgument("it \(InitializerName.requirement)") }
      return text
    }
  }
}
