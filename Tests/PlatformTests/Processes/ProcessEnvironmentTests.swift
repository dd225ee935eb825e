import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("ProcessEnvironment")
struct ProcessEnvironmentTests {
  @Test("Of two variables with the same name, the first one counts, as for getenv; what has no = isn't one")
  func twice() async {
    await #expect(processExitsWith: .success) {
      let places = try #require(ProcessEnvironment.strings)
      // The process ends here, so nobody else needs its environment.
      for (place, text) in ["A=first", "none", "A=second", "B=x=y"].enumerated() { places[place] = strdup(text) }
      places[4] = nil
      #expect(ProcessEnvironment.variables() == ["A": "first", "B": "x=y"])
      #expect(getenv("A").map { String(cString: $0) } == "first")
    }
  }

  @Test("Of some variables, the first one that is set and not empty must be UTF-8")
  func text() async {
    await #expect(processExitsWith: .success) {
      setenv("EMPTY", "", 1)
      setenv("TEXT", "ä", 1)
      setenv("BYTES", [-1, 0] as [CChar], 1)
      #expect(ProcessEnvironment.firstSetThatIsNoText(of: ["ABSENT", "EMPTY", "BYTES"]) == "BYTES")
      #expect(ProcessEnvironment.firstSetThatIsNoText(of: ["TEXT", "BYTES"]) == nil)
      #expect(ProcessEnvironment.firstSetThatIsNoText(of: ["ABSENT", "EMPTY"]) == nil)
    }
  }
}
