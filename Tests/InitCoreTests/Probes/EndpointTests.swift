import Testing

@testable import InitCore

@Suite struct EndpointTests {
  @Test(
    "S31: a host and a port are read, and written again as they were",
    arguments: [
      ("localhost:5432", "localhost", 5432), ("127.0.0.1:1", "127.0.0.1", 1), ("[::1]:65535", "::1", 65535),
      ("db.internal.:80", "db.internal.", 80), ("my_db-1:80", "my_db-1", 80), ("[fe80::a]:80", "fe80::a", 80),
      ("[::ffff:10.0.0.1]:80", "::ffff:10.0.0.1", 80), ("[1:2:3:4:5:6:7:8]:80", "1:2:3:4:5:6:7:8", 80),
    ] as [(String, String, UInt16)])
  func reads(text: String, host: String, port: UInt16) throws {
    let endpoint = try Endpoint.parse(text)
    #expect(endpoint == Endpoint(host: host, port: port))
    #expect(endpoint.description == text)
  }

  @Test(
    "S31: a mistake in it has a remedy",
    arguments: [
      ("localhost", "\"localhost\" has no port", "write HOST:PORT, e.g. localhost:5432"),
      ("localhost:", "\"localhost:\" has no port", "write HOST:PORT, e.g. localhost:5432"),
      (":5432", "\":5432\" has no host", "write HOST:PORT, e.g. localhost:5432"),
      ("localhost:0", "\"0\" is not a port", "write a number from 1 to 65535, e.g. localhost:5432"),
      ("localhost:65536", "\"65536\" is not a port", "write a number from 1 to 65535, e.g. localhost:5432"),
      ("localhost:+1", "\"+1\" is not a port", "write a number from 1 to 65535, e.g. localhost:5432"),
      ("localhost:http", "\"http\" is not a port", "write a number from 1 to 65535, e.g. localhost:5432"),
      ("::1:5432", "\"::1:5432\" has more than one colon", "write an IPv6 address in brackets, e.g. \"[::1]:5432\""),
      ("[::1:5432", "\"[::1:5432\" has no closing bracket", "write e.g. \"[::1]:5432\""),
      ("[::1]5432", "\"5432\" can't follow the bracket", "write e.g. \"[::1]:5432\""),
      ("[db]:80", "\"db\" is not an IPv6 address", "write it without brackets, or e.g. \"[::1]:5432\""),
      ("[1:2]:80", "\"1:2\" is not an IPv6 address", "write it without brackets, or e.g. \"[::1]:5432\""),
      ("a b:80", "\"a b\" is neither a host's name nor an address", "write HOST:PORT, e.g. localhost:5432"),
      ("-a:80", "\"-a\" is neither a host's name nor an address", "write HOST:PORT, e.g. localhost:5432"),
      ("a..b:80", "\"a..b\" is neither a host's name nor an address", "write HOST:PORT, e.g. localhost:5432"),
    ])
  func mistakes(text: String, problem: String, remedy: String) {
    #expect(throws: Endpoint.Mistake(problem, remedy)) { try Endpoint.parse(text) }
  }

  @Test("S31: a label has at most 63 bytes, a name 253")
  func lengths() throws {
    let label = String(repeating: "a", count: 63)
    #expect(throws: Never.self) { try Endpoint.parse("\(label):80") }
    #expect(throws: Endpoint.Mistake.self) { try Endpoint.parse("\(label)a:80") }
    #expect(throws: Endpoint.Mistake.self) { try Endpoint.parse("\(label).\(label).\(label).\(label):80") }
  }
}
