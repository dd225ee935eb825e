import InitDeclarations
import InitManifest
import InitWords
import Testing

@Suite struct ManifestReaderReadSettingsTests {
  @Test("A command has a user, limits and a niceness of its own, or those of defaults")
  func settings() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      defaults: { user: app, limits: { openFiles: 100, core: 0 }, nice: -5 }
      initializers:
        a: { command: x }
        b: { command: x, user: www-data:adm, limits: { memory: 2GiB, core: null }, nice: 19 }
        c: { worker: true }
        d: { command: x, user: 1000:1000, limits: { memory: 999999999GiB, core: 1KiB } }
      workers: { w: { command: x, user: db, limits: { openFiles: 9 }, nice: 0 } }
      """, file: "f")
    let found = manifest.initializers.map { $0.command?.settings }
    #expect(found.map { $0?.user?.user } == ["app", "www-data", nil, "1000"])
    #expect(found.map { $0?.user?.group } == [nil, "adm", nil, "1000"])
    #expect(found.map { $0?.limits.openFiles } == [100, 100, nil, 100])
    #expect(found.map { $0?.limits.memory } == [nil, 2 << 30, nil, 999_999_999 << 30])
    #expect(found.map { $0?.limits.core } == [0, nil, nil, 1024])
    #expect(found.map { $0?.nice } == [-5, 19, nil, -5])
    let worker = manifest.workers[0].command.settings
    #expect(
      worker.user?.description == "db" && worker.limits.openFiles == 9 && worker.nice == 0
        && worker.limits.memory == nil)
  }

  @Test(
    "Mistakes in them have remedies",
    arguments: [
      (
        "user: a:b:c",
        "6:11: \"a:b:c\" is neither a user nor a user and a group; write user: www-data or user: www-data:www-data"
      ),
      (
        "user: ':b'",
        "6:11: \":b\" is neither a user nor a user and a group; write user: www-data or user: www-data:www-data"
      ),
      (
        "user: a b",
        "6:11: \"a b\" is neither a user nor a user and a group; write user: www-data or user: www-data:www-data"
      ),
      (
        "user: '+5:5'",
        "6:11: \"+5:5\" is neither a user nor a user and a group; write user: www-data or user: www-data:www-data"
      ),
      (
        "user: a:-5",
        "6:11: \"a:-5\" is neither a user nor a user and a group; write user: www-data or user: www-data:www-data"
      ),
      ("user: [a]", "6:11: \"user\" is a list, not a user; write user: www-data"),
      ("nice: 20", "6:11: \"nice\" is not a whole number from -20 to 19: \"20\"; write e.g. nice: 10"),
      ("nice: high", "6:11: \"nice\" is not a whole number from -20 to 19: \"high\"; write e.g. nice: 10"),
      ("nice: -21", "6:11: \"nice\" is not a whole number from -20 to 19: \"-21\"; write e.g. nice: 10"),
      ("limits: 5", "6:13: \"limits\" is text, not a mapping; write limits: { openFiles: 4096 }"),
      ("limits: { memory: 0 }", "6:23: \"memory\" must be more than 0; write e.g. memory: 512MiB"),
      (
        "limits: { memory: 5MB }",
        "6:23: \"memory\" is not a number of bytes: \"5MB\"; write e.g. memory: 512MiB, or a number of bytes"
      ),
      (
        "limits: { memory: 999999999999GiB }",
        "6:23: \"memory\" is not a number of bytes: \"999999999999GiB\"; write e.g. memory: 512MiB, or a number of bytes"
      ),
      (
        "limits: { openFiles: 0 }",
        "6:26: \"openFiles\" is too small: \"0\"; write a whole number from 1, e.g. openFiles: 4096"
      ),
      ("limits: { cpu: 1 }", "6:15: unknown key \"cpu\" in \"limits\"; write one of openFiles, memory or core"),
    ])
  func wrong(line: String, mistake: String) {
    #expect(mistakes(inInitializer: "command: x", line) == "init.yaml:" + mistake)
  }

  @Test("They are only for commands")
  func worker() {
    #expect(
      mistakes(inInitializer: "worker: true", "user: app")
        == "init.yaml:6:5: \"user\" is only for commands, but initializer \"a\" is run by a worker; remove it")
  }
}
