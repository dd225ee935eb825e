import InitManifest
import Testing

@Suite struct ManifestReaderWarnTests {
  private func warnings(_ lines: String) throws -> [String] {
    try Manifest.parse("version: 1\ninitializers:\n" + lines, file: "f").warnings.map(\.description)
  }

  @Test("S3: an active initializer that launch runs too is a warning, at the first dependency on it")
  func activeInLaunch() throws {
    #expect(
      try warnings(
        """
          a: { command: x, phase: active }
          b: { command: x, phase: active, dependencies: [a] }
          c: { command: x, dependencies: [b] }
          d: { command: x, dependencies: [b, a] }
          e: { command: x, phase: active, dependencies: [c] }

        """) == [
          """
          f:4:50: "a" has the phase active, but also runs in launch: "b" depends on it; \
          write phase: launch for it, or remove this dependency
          """,
          """
          f:5:35: "b" has the phase active, but also runs in launch: "c" depends on it; \
          write phase: launch for it, or remove this dependency
          """,
        ])
  }

  @Test(
    "A timeout that is shorter than the longest pause between attempts is a warning",
    arguments: [
      ("timeout: 3s, retry: { attempts: 3, delay: 2s }", "4s"), ("timeout: 4s, retry: { attempts: 3, delay: 2s }", nil),
      ("timeout: 1s, retry: { attempts: 2, delay: 2s }", "2s"), ("timeout: 1s, retry: { attempts: 1, delay: 2s }", nil),
      ("retry: { attempts: 9, delay: 2s }", nil),
      ("timeout: 5s, retry: { attempts: 100000, delay: 1s, maxDelay: 5s }", nil),
      ("timeout: 20s, retry: { attempts: 100000 }", "30s"),
    ])
  func pauses(settings: String, longest: String?) throws {
    let found = try warnings("  a: { command: x, \(settings) }\n")
    #expect(found.count == (longest == nil ? 0 : 1))
    if let longest {
      #expect(
        found.first?.hasPrefix(
          "f:3:3: the pauses between the attempts of \"a\" grow to \(longest), longer than its timeout of ") == true)
    }
  }
}
