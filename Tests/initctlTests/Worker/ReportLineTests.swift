import InitProcesses
import Testing

@testable import initctl

@Suite("ReportLine")
struct ReportLineTests {
  private func report(_ line: String, prefix: String = "::") -> ReportLine? {
    ReportLine(Array(line.utf8), prefix: Array(prefix.utf8))
  }

  private func read(_ line: String, prefix: String = "::") -> StatusNotification? {
    guard case .progress(let told) = report(line, prefix: prefix) else { return nil }
    return told
  }

  @Test("progress has a fraction and, after it, a message")
  func progress() throws {
    let told = try #require(read("::progress 0.5 half  of it"))
    #expect((told.fraction, told.message, told.extend) == (0.5, "half  of it", nil))
    let bare = try #require(read("::progress 1"))
    #expect((bare.fraction, bare.message) == (1, nil))
  }

  @Test("message and extend have one value each; spaces may follow the prefix")
  func others() throws {
    #expect(read("initd: message the rest", prefix: "initd:")?.message == "the rest")
    #expect(read("::extend 1500ms")?.extend == .milliseconds(1500))
    #expect(read("::extend 30")?.extend == .seconds(30))
  }

  @Test("fail has the reason, secret nothing")
  func ends() {
    #expect(report("::fail no space left") == .failure("no space left"))
    #expect(report("::secret") == .secret)
  }

  @Test(
    "A line of another form is no report, even with the prefix",
    arguments: [
      "::progress", "::progress half", "::progress 1.5", "::progress -1", "::progress nan", "::message", "::extend",
      "::extend soon", "::status x", "::fail", "::secret x", "::", "", ":progress 1", " ::progress 1",
    ])
  func noReport(line: String) {
    #expect(report(line) == nil)
  }

  @Test("A deadline is at most the longest timeout of the protocol")
  func longestDeadline() {
    #expect(read("::extend 300000h")?.extend == .seconds(999_999_999))
  }
}
