import InitCore
import InitDeclarations
import InitWords
import Testing

@testable import InitManifest

@Suite struct ManifestTests {
  @Test("A manifest with only a version declares nothing and has the defaults")
  func onlyVersion() throws {
    let manifest = try Manifest.parse("version: 1\n", file: "init.yaml")
    #expect(manifest.file == "init.yaml")
    #expect(manifest.initializers.isEmpty)
    #expect(manifest.workers.isEmpty)
    #expect(manifest.settings.environment.isEmpty)
    #expect(manifest.settings.machine.concurrency == 1)
    #expect(manifest.settings.machine.registrationTimeout == .seconds(10))
    #expect(manifest.settings.machine.cancelGrace == .seconds(5))
  }

  @Test("The documented manifest is read exactly as written")
  func contract() throws {
    let manifest = try Manifest.parse(contractExample, file: "init.yaml")
    #expect(manifest.settings.machine.concurrency == 1)
    #expect(manifest.settings.machine.registrationTimeout == .seconds(10))
    #expect(manifest.settings.machine.cancelGrace == .seconds(5))
    #expect(manifest.settings.environment == ["LANG": "C.UTF-8"])
    #expect(
      manifest.initializers.map(\.declaration) == [
        Declaration(
          "migrate", timeout: .seconds(120),
          retry: RetryPolicy(attempts: 3, delay: .seconds(1), factor: 2, maxDelay: .seconds(30))),
        Declaration("feature-toggles", dependencies: ["migrate"]),
        Declaration("favorites", priority: .appActive, dependencies: ["feature-toggles"]),
      ])
    #expect(
      manifest.initializers.map { Set($0.given.keys) } == [
        ["command", "timeout", "retry", "optional"],
        ["command", "dependencies", "workingDirectory", "environment"], ["worker", "priority", "dependencies"],
      ])
    #expect(
      manifest.initializers.map(\.position) == [
        Position(line: 7, column: 3), Position(line: 12, column: 3), Position(line: 17, column: 3),
      ])
    #expect(
      manifest.initializers.map { $0.names(.dependencies).map(\.position) } == [
        [], [Position(line: 14, column: 20)], [Position(line: 20, column: 20)],
      ])

    let commands = manifest.initializers.map(\.command)
    #expect(
      commands.map { $0?.arguments } == [
        ["./migrate", "--all"],
        ["/bin/sh", "-c", "curl -fsS http://localhost:9000/toggles -o toggles.json"],
        nil,
      ])
    #expect(manifest.initializers.map { $0.texts.contains("command") } == [false, true, false])
    #expect(commands.map { $0?.directory } == [.some(nil), "./state", nil])
    #expect(commands.map { $0?.environment } == [[:], ["TOKEN": "x"], nil])

    let worker = try #require(manifest.workers.first)
    #expect(manifest.workers.count == 1)
    #expect(worker.name == "shelf")
    #expect(worker.command.arguments == ["python3", "shelf_worker.py"])
    #expect(worker.restart == .onFailure)
    #expect(worker.pauses == .never)
    #expect(worker.position == Position(line: 22, column: 3))
  }

  @Test("Every attribute of an initializer is read")
  func everything() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      release: v7-rc.1
      concurrency: 4
      registrationTimeout: 500ms
      cancelGrace: 0
      stopTimeout: 1m
      initializers:
        a: { worker: true, optional: true, perProcess: true, description: "the first", timeout: 1.5 }
        b: { command: x, worker: false, retry: { attempts: 5, delay: 250ms, factor: 1.5, maxDelay: 1m } }
        c: { command: x, description: no quotes, perProcess: false, secret: true, once: fleet }
      workers:
        w: { command: run it, restart: always, backoff: { delay: 2s, maxDelay: 1h }, environment: { A: 1 } }
      """, file: "init.yaml")
    #expect(manifest.settings.machine.concurrency == 4)
    #expect(manifest.settings.machine.registrationTimeout == .milliseconds(500))
    #expect(manifest.settings.machine.cancelGrace == .zero)
    #expect(manifest.settings.machine.stopTimeout == .seconds(60))
    #expect(
      manifest.initializers.map(\.declaration) == [
        Declaration("a", timeout: .milliseconds(1500), isOptional: true, isPerProcess: true),
        Declaration(
          "b", retry: RetryPolicy(attempts: 5, delay: .milliseconds(250), factor: 1.5, maxDelay: .seconds(60))),
        Declaration("c"),
      ])
    #expect(manifest.initializers.map(\.description) == ["the first", nil, "no quotes"])
    #expect(
      manifest.initializers.map { Set($0.given.keys).subtracting(["command", "worker", "description", "once"]) } == [
        ["timeout", "optional", "perProcess"], ["retry"], ["perProcess", "secret"],
      ])
    #expect(manifest.initializers.map(\.isSecret) == [false, false, true])
    #expect(manifest.initializers.map(\.isOnce) == [false, false, true])
    #expect(manifest.settings.release == "v7-rc.1")
    let worker = try #require(manifest.workers.first)
    #expect(worker.command.arguments == ["/bin/sh", "-c", "run it"])
    #expect(worker.command.environment == ["A": "1"])
    #expect(worker.restart == .always)
    #expect(worker.pauses == RetryPolicy(delay: .seconds(2), maxDelay: .seconds(3600)))
  }

  @Test("A command's stop is a list, or a text for the shell")
  func stop() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      initializers:
        a: { command: [./mount], stop: [./umount, --all] }
        b: { command: x, stop: rm -f lock }
        c: { command: x }
      """, file: "init.yaml")
    let stops = manifest.initializers.map { $0.command?.stop }
    #expect(stops == [["./umount", "--all"], ["/bin/sh", "-c", "rm -f lock"], nil])
    #expect(manifest.initializers.map { $0.texts.contains("stop") } == [false, true, false])
    #expect(manifest.settings.machine.stopTimeout == .seconds(10))
    #expect(manifest.checkReport().contains("with a stop command"))
  }

  @Test("Scalars in lists and environments are unchanged")
  func asWritten() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      environment: { A: yes, B: 1.0, C: ~, D: , E: 0x10, F: "a\\tb", G: 'it''s' }
      initializers:
        a:
          command: [echo, yes, 1.0, ~, 010, null, "", 'x y', 30]
          dependencies: [1, true]
        1: { worker: true }
        true: { worker: true }
      """, file: "init.yaml")
    #expect(
      manifest.settings.environment == [
        "A": "yes", "B": "1.0", "C": "~", "D": "", "E": "0x10", "F": "a\tb", "G": "it's",
      ])
    #expect(manifest.initializers.map(\.declaration.name) == ["a", "1", "true"])
    #expect(manifest.initializers[0].declaration.dependencies == ["1", "true"])
    #expect(manifest.initializers[0].command?.arguments == ["echo", "yes", "1.0", "~", "010", "null", "", "x y", "30"])
  }

  @Test("A block of lines is one shell command")
  func block() throws {
    let manifest = try Manifest.parse(
      "version: 1\ninitializers:\n  a:\n    command: |\n      set -e\n      run\n", file: "init.yaml")
    #expect(manifest.initializers[0].command?.arguments == ["/bin/sh", "-c", "set -e\nrun\n"])
  }
}

/// The example of the contract, its comments included.
let contractExample = """
  version: 1
  concurrency: 1                # how many may run at once
  registrationTimeout: 10s
  cancelGrace: 5s
  environment: { LANG: C.UTF-8 }
  initializers:                 # the order here is the order of registration
    migrate:
      command: [./migrate, --all]           # a list is run as it is; a string by /bin/sh -c
      timeout: 2m
      retry: { attempts: 3, delay: 1s, factor: 2, maxDelay: 30s }    # attempts counts the first
      optional: false                       # true: its failure doesn't stop the pass (S8)
    feature-toggles:
      command: curl -fsS http://localhost:9000/toggles -o toggles.json
      dependencies: [migrate]
      workingDirectory: ./state
      environment: { TOKEN: x }
    favorites:
      worker: true                          # a worker registers it
      priority: appActive                   # appLaunch unless said
      dependencies: [feature-toggles]
  workers:                      # processes the supervisor starts and, if they end, starts again
    shelf:
      command: [python3, shelf_worker.py]
      restart: onFailure                    # onFailure, always or never; with backoff as in retry

  """
