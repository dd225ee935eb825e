import InitModel
import Testing

@testable import InitWire

struct ReleaseTests {
  @Test("--version names the program, its version, the commit, the protocol and the architecture")
  func line() {
    let line = Release.line(of: "initd", commit: "0123456789ab-dirty")
    #expect(line.hasPrefix("initd \(Release.version) (commit 0123456789ab-dirty, protocol 1, "))
    #expect(line.hasSuffix("x86_64)") || line.hasSuffix("aarch64)"))
  }
}
