import Platform
import Testing

@testable import EventLoop

@Suite("HostsFile")
struct HostsFileTests {
  private let text = """
    # 10.0.0.9 db
    fd00::1\tdb  db.internal # 10.0.0.8 cache
    10.0.0.1 DB
    10.0.0.1 db
    rubbish db
    10.0.0.2
    10.0.0.3 dbx xdb
    """

  @Test("A name has the addresses of all of its lines, IPv4 first, each once")
  func names() {
    #expect(HostsFile.addresses(of: "db", in: text).map(\.description) == ["10.0.0.1", "fd00::1"])
    #expect(HostsFile.addresses(of: "Db.Internal", in: text).map(\.description) == ["fd00::1"])
  }

  @Test("Comments, parts of names and addresses aren't names", arguments: ["cache", "d", "10.0.0.2", "fd00::1", ""])
  func others(name: String) { #expect(HostsFile.addresses(of: name, in: text) == []) }
}
