/// The destination of the spans, and the attributes of their origin: from an address, and from OpenTelemetry's variables of the
/// environment.
public struct CollectorSettings: Sendable, Equatable {
  /// Where requests are posted.
  public var url: String
  /// Further headers, such as a header with a token: `OTEL_EXPORTER_OTLP_HEADERS`.
  public var headers: [Pair]
  /// The attributes of the resource: `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`.
  public var resource: [Pair]

  /// A name and its value.
  public struct Pair: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
  }

  /// Why settings are wrong.
  public struct Fault: Error, Equatable, CustomStringConvertible {
    /// The problem, and what to do.
    public let description: String
  }

  /// Reads the settings.
  ///
  /// `address` is the base address of a collector, to which the path of traces is added unless it is there.
  public init(address: String, environment: [String: String], host: String?) throws(Fault) {
    url = try Self.url(address)
    headers = try Self.pairs("OTEL_EXPORTER_OTLP_HEADERS", environment)
    resource = try Self.pairs("OTEL_RESOURCE_ATTRIBUTES", environment)
    let names = Set(resource.map(\.name))
    if let name = environment["OTEL_SERVICE_NAME"], !name.isEmpty {
      resource = resource.filter { $0.name != "service.name" } + [Pair(name: "service.name", value: name)]
    } else if !names.contains("service.name") {
      resource.append(Pair(name: "service.name", value: "initd"))
    }
    if let host, !names.contains("host.name") { resource.append(Pair(name: "host.name", value: host)) }
  }

  /// Checks an address, and adds the path.
  public static func url(_ address: String) throws(Fault) -> String {
    let wrong = Fault(description: "use the base address of a collector, e.g. http://127.0.0.1:4318")
    guard let scheme = ["http://", "https://"].first(where: address.lowercased().hasPrefix) else { throw wrong }
    let rest = address.dropFirst(scheme.utf8.count)
    guard rest.first.map({ $0 != "/" && $0 != ":" }) == true, address.utf8.count <= 2_048,
      !address.utf8.contains(where: {
        $0 <= UInt8(ascii: " ") || $0 > 126 || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      })
    else { throw wrong }
    guard !rest.prefix(while: { $0 != "/" }).contains("@") else {
      throw Fault(
        description: "the address has a password; set OTEL_EXPORTER_OTLP_HEADERS, e.g. to authorization=Bearer%20TOKEN")
    }
    var base = address[...]
    while base.hasSuffix("/") { base = base.dropLast() }
    return base.hasSuffix("/v1/traces") ? String(base) : base + "/v1/traces"
  }

  /// Reads `name=value,…` with percent signs for other characters.
  private static func pairs(_ variable: String, _ environment: [String: String]) throws(Fault) -> [Pair] {
    var pairs: [Pair] = []
    for part in (environment[variable] ?? "").split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
      // The value may be a secret, so it isn't shown.
      guard halves.count == 2, !halves[0].isEmpty, let value = decoded(halves[1]) else {
        throw Fault(description: "\(variable) is wrong: use name=value,name=value, with %2C for a comma in a value")
      }
      pairs.removeAll { $0.name == halves[0] }
      pairs.append(Pair(name: halves[0], value: value))
    }
    return pairs
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), code >= 32
      else {
        return nil
      }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
