import InitModel
import InitWords
import Testing

@testable import InitWire

struct WordsTests {
  @Test("the words are those of the protocol (§3–§6)")
  func words() {
    #expect(Priority.allCases.map(\.rawValue) == ["appLaunch", "appActive"])
    #expect(Phase.allCases.map(\.rawValue) == ["launch", "active"])
    #expect(Lifecycle.allCases.map(\.rawValue) == ["inactive", "active"])
    #expect(ProviderKind.allCases.map(\.rawValue) == ["inProcess", "command", "worker", "waitFor", "process"])
    #expect(
      InitializerStatus.allCases.map(\.rawValue) == [
        "idle", "waiting", "running", "stopping", "complete", "failed", "cancelled", "notRun", "skipped",
      ])
    #expect(OutcomeName.allCases.map(\.rawValue) == ["complete", "failed", "cancelled"])
    #expect(OutputName.allCases.map(\.rawValue) == ["stdout", "stderr"])
    #expect(
      CancelReason.allCases.map(\.rawValue) == [
        "deactivated", "timeout", "failed", "unregistered", "shutdown", "operator",
      ])
    #expect(
      Topic.allCases.map(\.rawValue) == [
        "launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log",
      ])
    #expect(Topic.defaults.map(\.rawValue) == ["launch", "active", "composite"])
  }
}
