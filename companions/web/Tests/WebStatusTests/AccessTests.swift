import Testing

@testable import WebStatus

@Suite("Access")
struct AccessTests {
  private let access = Access(hosts: ["App.Example"])
  private let token = "0123456789abcdef"

  @Test("A name of a host must be known; addresses and localhost are")
  func hosts() {
    for good in [
      "localhost", "localhost:8088", "127.0.0.1:8088", "[::1]:8088", "10.1.2.3", "app.example", "APP.example:443",
    ] {
      #expect(access.refusal(host: good) == nil, "\(good)")
    }
    #expect(access.refusal(host: nil) == nil)
    for bad in [
      "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3", "1.2.3.256", "app.example.evil",
    ] {
      #expect(access.refusal(host: bad)?.status == 421, "\(bad)")
    }
  }

  private func refusal(
    host: String = "localhost:8088", origin: String? = nil, site: String? = nil, authorization: String?
  ) -> Int? {
    access.refusal(host: host, origin: origin, site: site, authorization: authorization, token: token)?.status
  }

  @Test("A header Host names a host, perhaps with a port, and nothing else")
  func values() {
    for good in ["", "localhost", "127.0.0.1:80", "[::1]:80", "a-b.example"] { #expect(Access.isHost(good), "\(good)") }
    for bad in ["a b", "a/b", "http://a", "a?b", "user@a", "a#b", "a\\b", "ü", "a\n"] {
      #expect(!Access.isHost(bad), "\(bad)")
    }
  }

  @Test("A change needs the token, and a page of this origin if it is one")
  func changes() {
    let bearer = "Bearer " + token
    #expect(refusal(authorization: bearer) == nil)
    #expect(refusal(origin: "http://localhost:8088", site: "same-origin", authorization: "bearer  \(token) ") == nil)
    #expect(refusal(host: "evil.example", authorization: bearer) == 421)
    for origin in ["http://evil.example", "null", "http://localhost:9999", "http://localhost:8088.evil.example"] {
      #expect(refusal(origin: origin, authorization: bearer) == 403, "\(origin)")
    }
    for site in ["cross-site", "same-site"] { #expect(refusal(site: site, authorization: bearer) == 403, "\(site)") }
    for wrong in [
      nil, "", "Bearer", "Bearer ", "Bearer 0123456789abcdeg", "Bearer \(token)\(token)", "Basic \(token)", token,
    ] {
      #expect(refusal(authorization: wrong) == 401, "\(wrong ?? "none")")
    }
  }
}
