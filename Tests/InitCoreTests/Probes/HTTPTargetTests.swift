import Testing

@testable import InitCore

@Suite struct HTTPTargetTests {
  @Test(
    "S31: a URL has a host, perhaps a port, and a path",
    arguments: [
      ("http://localhost:9000/health?x=1", "localhost:9000", "GET /health?x=1 HTTP/1.1\r\nHost: localhost:9000\r\n"),
      ("HTTP://db", "db:80", "GET / HTTP/1.1\r\nHost: db\r\n"),
      ("http://db?ready", "db:80", "GET /?ready HTTP/1.1\r\nHost: db\r\n"),
      ("http://[::1]/", "[::1]:80", "GET / HTTP/1.1\r\nHost: [::1]\r\n"),
    ])
  func reads(url: String, endpoint: String, request: String) throws {
    let target = try HTTPTarget.parse(url)
    #expect(target.endpoint.description == endpoint)
    #expect(String(decoding: target.request, as: UTF8.self).hasPrefix(request))
    #expect(target.request.suffix(4) == Array("\r\n\r\n".utf8))
    #expect(target.description == url)
    #expect(target.statuses == .success)
  }

  @Test(
    "S31: a mistake in a URL has a remedy",
    arguments: [
      ("localhost:9000/health", "\"localhost:9000/health\" is not a URL", "write e.g. http://localhost:8080/health"),
      ("ftp://a/", "\"ftp://a/\" is not a URL of HTTP", "write e.g. http://localhost:8080/health"),
      ("https://a/b", "https is not supported", "use a command: command: [curl, -fsS, \"https://a/b\"]"),
      (
        "http://u:p@a/", "credentials in a URL are not supported", "use a command: command: [curl, -fsS, …]"
      ),
      ("http://a/#b", "\"http://a/#b\" has a fragment, which is never sent", "remove it, from # on"),
      (
        "http://a/b c", "\"http://a/b c\" has characters that a URL can't have",
        "write them in percent-encoding, e.g. %20 for a space"
      ),
      ("http:///x", "\"\" has no host", "write HOST:PORT, e.g. localhost"),
      ("http://a:0/", "\"0\" is not a port", "write a number from 1 to 65535, e.g. a:5432"),
    ])
  func mistakes(url: String, problem: String, remedy: String) {
    #expect(throws: Endpoint.Mistake(problem, remedy)) { try HTTPTarget.parse(url) }
  }

  @Test(
    "S31: a URL can't add lines to the request",
    arguments: ["http://a/\r\nX: y", "http://a/\n", "http://a\r/", "http://a/\u{7F}"])
  func lines(url: String) { #expect(throws: Endpoint.Mistake.self) { try HTTPTarget.parse(url) } }

  @Test("S31: a URL has at most 512 bytes")
  func length() {
    let path = String(repeating: "a", count: 512 - "http://a/".utf8.count)
    #expect(throws: Never.self) { try HTTPTarget.parse("http://a/\(path)") }
    #expect(throws: Endpoint.Mistake.self) { try HTTPTarget.parse("http://a/\(path)a") }
  }

  @Test("S31: a status, and a range of them")
  func statuses() {
    #expect(StatusRanges.range("204") == 204...204 && StatusRanges.range("200-399") == 200...399)
    let wrong = ["", "2xx", "20", "2000", "399-200", "200-", "-200", "200-299-300", "600", "099", "200 - 299", "+20"]
    for text in wrong { #expect(StatusRanges.range(text) == nil, "\(text)") }
    #expect(StatusRanges.backwards("399-200") == 200...399 && StatusRanges.backwards("200-399") == nil)
    let ranges = StatusRanges([200...204, 401...401])
    #expect([200, 204, 401].allSatisfy(ranges.contains) && ![199, 205, 400].contains(where: ranges.contains))
  }
}
