import Platform
import Testing

@testable import EventLoop

@Suite("ResolverFile")
struct ResolverFileTests {
  @Test("The file lists name servers, domains and options; the rest is ignored")
  func reads() {
    let file = ResolverFile(
      """
      # comment
      nameserver 10.0.0.1
      nameserver rubbish
      nameserver fd00::1 ; comment
      domain old.example
      search a.example b.example.
      options rotate ndots:5 timeout:1
      nameserver 10.0.0.2
      nameserver 10.0.0.3
      """)
    #expect(file.servers.map(\.description) == ["10.0.0.1", "fd00::1", "10.0.0.2"])
    #expect(file.search == ["a.example", "b.example."] && file.dots == 5)
  }

  @Test("Without a name server, this machine is asked")
  func usual() { #expect(ResolverFile("").servers.map(\.description) == ["127.0.0.1"]) }

  @Test("A short name is searched in the domains first, a long one last, and one with a final dot nowhere else")
  func names() {
    let file = ResolverFile("search a.b c.\noptions ndots:2\n")
    #expect(file.names(of: "db") == ["db.a.b", "db.c", "db"])
    #expect(file.names(of: "x.db") == ["x.db.a.b", "x.db.c", "x.db"])
    #expect(file.names(of: "x.y.db") == ["x.y.db", "x.y.db.a.b", "x.y.db.c"])
    #expect(file.names(of: "db.") == ["db"])
    #expect(ResolverFile("search .").names(of: "db") == ["db"])
  }
}
