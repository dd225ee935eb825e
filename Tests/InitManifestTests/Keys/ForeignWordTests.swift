import Testing

@testable import InitManifest

@Suite struct ForeignWordTests {
  @Test(
    "A word of another tool leads to the key that means the same",
    arguments: [
      ("depends_on", "dependencies"), ("dependsOn", "dependencies"), ("after", "dependencies"),
      ("requires", "dependencies"), ("workdir", "workingDirectory"), ("cwd", "workingDirectory"),
      ("directory", "workingDirectory"), ("env", "environment"), ("stage", "phase"), ("retries", "retry"),
      ("restart", "retry"), ("entrypoint", "command"), ("exec", "command"), ("run", "command"), ("script", "command"),
    ])
  func initializer(word: String, key: String) {
    let remedy = mistakes(inInitializer: "worker: true", "\(word): x")
    #expect(remedy == "init.yaml:6:5: unknown key \"\(word)\" in initializer \"a\"; did you mean \"\(key)\"?")
  }

  @Test("Only keys of the section are offered: a process has restart, but neither dependencies nor a phase")
  func section() {
    let keys = ManifestSection.process.keyNames(for: .supervisor)
    #expect(ForeignWord.keys(for: "env", among: keys) == ["environment"])
    #expect(ForeignWord.keys(for: "stage", among: keys) == [])
    #expect(mistakes(in: "version: 1\nworkers: { w: { command: x, restart: always } }\n") == "")
  }
}
