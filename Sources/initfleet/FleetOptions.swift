internal import CommandLineOptions
internal import InitWire
internal import Platform

/// Options to find the fleet.
struct FleetOptions: OptionGroup {
  private var etcd: String?
  private var fleet: String?
  private(set) var prefix = "/initfleet"

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "etcd", &etcd, .text("URL,…"), help: "The endpoints of etcd. Default: $INITFLEET_ETCD.")
    try options.option("fleet", &fleet, .name, help: "The name of the fleet. Default: $INITFLEET_NAME.")
    try options.option("prefix", &prefix, .text("text"), help: "The beginning of all keys. Default: /initfleet.")
  }

  /// The URLs of etcd's members.
  ///
  /// - Throws: what is wrong with them.
  func endpoints() throws(UsageError) -> [String] {
    guard let given = etcd ?? ProcessEnvironment.variables()["INITFLEET_ETCD"], !given.isEmpty else {
      throw UsageError("no etcd: give --etcd http://HOST:2379, or set INITFLEET_ETCD", of: "initfleet agent")
    }
    let urls = try given.split(separator: ",").map { part throws(UsageError) in
      var url = String(part.drop { $0 == " " })
      while url.hasSuffix("/") || url.hasSuffix(" ") { url.removeLast() }
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        throw UsageError("invalid URL \"\(url)\" for --etcd; write http://HOST:2379", of: "initfleet agent")
      }
      return url
    }
    guard !urls.isEmpty else { throw UsageError("no URL in --etcd; write http://HOST:2379", of: "initfleet agent") }
    return urls
  }

  /// The beginning of the fleet's keys.
  ///
  /// - Throws: that there is no name.
  func keys() throws(UsageError) -> FleetKeys {
    guard let name = fleet ?? ProcessEnvironment.variables()["INITFLEET_NAME"], !name.isEmpty else {
      throw UsageError("no name of a fleet: give --fleet NAME, or set INITFLEET_NAME", of: "initfleet agent")
    }
    guard InitializerName.isValid(name) else {
      throw UsageError(
        "invalid name \"\(name)\" in INITFLEET_NAME; it \(InitializerName.requirement)", of: "initfleet agent")
    }
    return FleetKeys(prefix: prefix, fleet: name)
  }
}

extension ArgumentKind<String> {
  /// The name of a host or of a fleet; it follows the rule for names of initializers.
  static var name: Self {
    Self("name") { text throws(InvalidArgument) in
      guard InitializerName.isValid(text) else { throw InvalidArgument("it \(InitializerName.requirement)") }
      return text
    }
  }
}

/// The keys of a fleet in etcd.
struct FleetKeys: Sendable {
  let prefix: String
  let fleet: String

  /// All keys about initializers that run once.
  var once: String { "\(prefix)/\(fleet) once " }

  /// The beginning of the keys about one of them, for a release. Names and releases may contain slashes, but no spaces.
  func once(_ initializer: String, release: String) -> OnceKeys {
    OnceKeys(base: "\(once)\(release) \(initializer) ")
  }

  /// The keys about an initializer that runs once for a release.
  struct OnceKeys: Sendable, Hashable {
    fileprivate let base: String
    /// Who runs it; bound to that host's lease.
    var claim: String { base + "claim" }
    /// Who has completed it; never deleted.
    var done: String { base + "done" }
  }
}
