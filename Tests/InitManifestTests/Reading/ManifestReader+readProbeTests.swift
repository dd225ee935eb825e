import InitCore
import InitDeclarations
import Testing

@testable import InitManifest

@Suite struct ReadProbeTests {
  private func probe(_ text: String) throws -> Probe? {
    let manifest = try Manifest.parse("version: 1\ninitializers: { a: { waitFor: \(text) } }\n", file: "init.yaml")
    guard let probe = manifest.initializers.first?.probe else { return nil }
    return probe
  }

  @Test("S31: waitFor has a target, and defaults")
  func target() throws {
    #expect(try probe("{ tcp: 'localhost:5432' }") == Probe(.tcp(Endpoint(host: "localhost", port: 5432))))
    #expect(
      try probe("{ tcp: '[::1]:80', every: 1s, tryTimeout: 100ms }")
        == Probe(.tcp(Endpoint(host: "::1", port: 80)), every: .seconds(1), tryTimeout: .milliseconds(100)))
  }

  @Test("S31: pages, sockets and files")
  func others() throws {
    var page = try HTTPTarget.parse("http://a/b")
    #expect(try probe("{ http: 'http://a/b' }") == Probe(.http(page)))
    page.statuses = StatusRanges([200...204, 401...401])
    #expect(try probe("{ http: 'http://a/b', status: [200-204, 401] }") == Probe(.http(page)))
    #expect(try probe("{ unix: run/s }") == Probe(.unix("run/s")))
    #expect(try probe("{ path: /data }") == Probe(.path("/data")))
  }

  @Test("S31: an unknown key isn't reported a second time, as a missing target")
  func unknownTarget() {
    #expect(
      InitManifestTests.mistakes(inInitializer: "waitFor: { https: \"https://a\" }") == """
        init.yaml:5:16: unknown key "https" in "waitFor"; https is not supported; use a command: command: [curl, -fsS, "https://…"]
        """)
  }

  @Test(
    "S31: each mistake in waitFor has its position and a remedy",
    arguments: [
      ("{ every: 1s }", "14: \"waitFor\" has nothing to wait for; write waitFor: { tcp: \"localhost:6379\" }"),
      ("localhost", "14: \"waitFor\" is text, not a mapping; write waitFor: { tcp: \"localhost:6379\" }"),
      ("{ tpc: 'a:1', tcp: 'a:1' }", "16: unknown key \"tpc\" in \"waitFor\"; did you mean \"tcp\"?"),
      (
        "{ http: 'http://a', tcp: 'a:1' }",
        "34: \"waitFor\" has both tcp and http; keep one of them; write an initializer for each"
      ),
      (
        "{ http: 'https://a' }",
        "22: \"http\": https is not supported; use a command: command: [curl, -fsS, \"https://a\"]"
      ),
      (
        "{ http: 'http://a', status: 2xx }",
        "42: \"2xx\" is not a status of HTTP, or a range of them; write e.g. 204, or 200-299"
      ),
      ("{ http: 'http://a', status: 299-200 }", "42: the range \"299-200\" runs backwards; write 200-299"),
      ("{ http: 'http://a', status: [] }", "42: \"status\" is empty; write status: 200-299, or remove it"),
      ("{ tcp: 'a:1', status: 200 }", "28: \"status\" is only for http, not for tcp; remove it"),
      ("{ unix: '' }", "22: \"unix\" is empty; write unix: /run/bus.sock"),
      (
        "{ unix: \(String(repeating: "x", count: 108)) }",
        "22: \"unix\" has 108 bytes; the maximum is 107; choose a shorter path"
      ),
      ("{ tcp: db }", "21: \"tcp\": \"db\" has no port; write HOST:PORT, e.g. db:5432"),
      ("{ tcp: 'a:1', every: 0s }", "35: \"every\" must be more than 0; write e.g. every: 500ms"),
      ("{ tcp: 'a:1', tryTimeout: 0 }", "40: \"tryTimeout\" must be more than 0; write e.g. tryTimeout: 500ms"),
    ])
  func mistakes(text: String, expected: String) {
    #expect(
      InitManifestTests.mistakes(inInitializer: "waitFor: \(text)").split(separator: "\n").first!
        == "init.yaml:5:\(expected)")
  }

  @Test("S31: an initializer that waits for something runs nothing")
  func alone() {
    #expect(
      InitManifestTests.mistakes(inInitializer: "waitFor: { tcp: 'a:1' }", "command: x", "once: fleet", "stop: x")
        == """
        init.yaml:6:5: initializer "a" has both command and waitFor; keep one of them; what needs both is two initializers, \
        one with the other as its dependency
        init.yaml:7:5: "once" is only for commands and workers, but initializer "a" runs nothing: it has waitFor; remove it
        init.yaml:8:5: "stop" is only for commands and workers, but initializer "a" runs nothing: it has waitFor; remove it
        """)
    // A value of a key that isn't allowed isn't a second mistake.
    #expect(
      InitManifestTests.mistakes(inInitializer: "waitFor: { tcp: 'a:1' }", "nice: 77", "stop: []") == """
        init.yaml:6:5: "nice" is only for commands and workers, but initializer "a" runs nothing: it has waitFor; remove it
        init.yaml:7:5: "stop" is only for commands and workers, but initializer "a" runs nothing: it has waitFor; remove it
        """)
    #expect(
      InitManifestTests.mistakes(inInitializer: "worker: true", "waitFor: { tcp: 'a:1' }").hasPrefix(
        "init.yaml:6:5: initializer \"a\" has both worker and waitFor; keep one of them"))
  }
}
