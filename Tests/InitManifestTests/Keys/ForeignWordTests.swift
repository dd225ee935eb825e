import Testing

@testable import InitManifest

@Suite struct ForeignWordTests {
  @Test(
    "A word of another tool leads to the key that means the same",
    arguments: [
      ("depends_on", "dependencies"), ("dependsOn", "dependencies"),
      ("requires", "dependencies"), ("workdir", "workingDirectory"), ("cwd", "workingDirectory"),
      ("directory", "workingDirectory"), ("env", "environment"), ("stage", "phase"), ("retries", "retry"),
      ("entrypoint", "command"), ("exec", "command"), ("run", "command"), ("script", "command"),
      ("wants", "after"), ("waits-for", "after"), ("depends", "dependencies"), ("status", "unless"),
      ("condition", "when"), ("execIfModified", "inputs"),
    ])
  func initializer(word: String, key: String) {
    let remedy = mistakes(inInitializer: "worker: true", "\(word): x")
    #expect(remedy == "init.yaml:6:5: unknown key \"\(word)\" in initializer \"a\"; did you mean \"\(key)\"?")
  }

  @Test(
    "A key of processes on an initializer, and the other way round, leads to its counterpart, or to where it belongs")
  func counterparts() {
    #expect(
      mistakes(
        inInitializer: "worker: true", "ready: x", "backoff: x", "restart: x", "onRestart: x", "stopSignal: x") == """
          init.yaml:6:5: unknown key "ready" in initializer "a"; did you mean "waitFor"? Only entries of processes have "ready"
          init.yaml:7:5: unknown key "backoff" in initializer "a"; did you mean "retry"? Only entries of processes have "backoff"
          init.yaml:8:5: unknown key "restart" in initializer "a"; did you mean "retry"? Only entries of processes have "restart"
          init.yaml:9:5: unknown key "onRestart" in initializer "a"; remove it, or move the entry to processes: only its entries \
          have this key
          init.yaml:10:5: unknown key "stopSignal" in initializer "a"; remove it, or move the entry to processes: only its entries \
          have this key
          """)
    #expect(
      mistakes(in: "version: 1\nworkers: { w: { command: x, retry: x, waitFor: x, phase: launch, healthcheck: x } }\n")
        == """
        init.yaml:2:29: unknown key "retry" in worker "w"; did you mean "restart" or "backoff"? Only entries of initializers \
        have "retry"
        init.yaml:2:39: unknown key "waitFor" in worker "w"; did you mean "ready"? Only entries of initializers have "waitFor"
        init.yaml:2:51: unknown key "phase" in worker "w"; remove it, or move the entry to initializers: only its entries have \
        this key
        init.yaml:2:66: unknown key "healthcheck" in worker "w"; did you mean "ready" or "healthy"?
        """)
  }

  @Test("A value of another tool leads to ours")
  func values() {
    for (value, meant) in [("unless-stopped", "always"), ("no", "never"), ("unexpected", "onFailure")] {
      #expect(
        mistakes(in: "version: 1\nprocesses: { w: { command: x, restart: \(value) } }\n")
          == "init.yaml:2:40: \"restart\" cannot be \"\(value)\"; did you mean \"\(meant)\"?")
    }
  }

  @Test("Only keys of the section are offered: a process has restart, but neither dependencies nor a phase")
  func section() {
    let keys = ManifestSection.process.keyNames(for: .supervisor)
    #expect(ForeignWord.keys(for: "env", among: keys) == ["environment"])
    #expect(ForeignWord.keys(for: "stage", among: keys) == [])
    #expect(mistakes(in: "version: 1\nworkers: { w: { command: x, restart: always } }\n") == "")
  }
}
