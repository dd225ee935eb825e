import InitCore
import InitWords
import Testing

@Suite("Failures")
struct FailureTests {
  @Test(
    "S2: every error names its initializer and says why",
    arguments: [
      (Failure.circularDependency(["a", "b", "a"]), "a", "cannot run a: circular dependency a -> b -> a"),
      (
        .missingDependency(initializer: "a", dependency: "b"), "a", "cannot run a: its dependency b is not declared"
      ),
      (.duplicateInitializer("a"), "a", "cannot run a: two initializers have this name; rename one of them"),
      (.initializerFailed("a", .error(message: "HTTP 503")), "a", "a failed: HTTP 503"),
    ])
  func text(failure: Failure, initializer: String, text: String) {
    #expect(failure.initializer == initializer)
    #expect(failure.description == text)
  }

  @Test(
    "S2: every cause has a description",
    arguments: [
      (Cause.error(message: "no disk"), "no disk"), (.exit(status: 3), "exit status 3"),
      (.signal("SIGTERM"), "terminated by SIGTERM"),
      (.signal("SIGKILL"), "killed by SIGKILL, not by initd: perhaps the kernel's OOM killer"),
      (.timeout(after: .milliseconds(1500)), "timed out after 1.5 s"),
      (.timeout(after: .seconds(30), message: "refused (3 tries)"), "timed out after 30 s: refused (3 tries)"),
      (.workerLost, "its worker is not connected"), (.notFound(message: "no program x"), "no program x"),
    ])
  func cause(cause: Cause, text: String) {
    #expect(cause.description == text)
  }
}
