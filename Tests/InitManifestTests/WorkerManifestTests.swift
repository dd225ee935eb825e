import InitCore
import InitDeclarations
import Testing

@testable import InitManifest

@Suite("Manifest for a worker")
struct WorkerManifestTests {
  private func findings(_ text: String) -> [String] {
    do throws(ManifestErrors) {
      _ = try Manifest.parse(text, file: "w.yaml", for: .worker)
      return []
    } catch {
      return error.findings.map(\.problem)
    }
  }

  @Test("Dependencies may be those of others, and the grace is a little shorter than a supervisor's")
  func whole() throws {
    let manifest = try Manifest.parse(
      "version: 1\ninitializers: { a: { command: x, dependencies: [elsewhere] } }", file: "w.yaml", for: .worker)
    #expect(manifest.initializers.map(\.declaration.dependencies) == [["elsewhere"]])
    #expect(manifest.initializers.map { Set($0.given.keys) } == [["command", "dependencies"]])
    #expect(manifest.settings.machine.cancelGrace == .milliseconds(4500))
    let said = try Manifest.parse(
      "version: 1\ncancelGrace: 1s\ninitializers: { a: { command: x } }", file: "w.yaml", for: .worker)
    #expect(said.settings.machine.cancelGrace == .seconds(1))
  }

  @Test(
    "The keys of a supervisor are unknown",
    arguments: [
      "release: v1", "concurrency: 2", "registrationTimeout: 1s", "stopTimeout: 1s", "workers: {}",
    ])
  func keysOfSupervisors(line: String) {
    #expect(
      findings("version: 1\n\(line)\ninitializers: { a: { command: x } }") == [
        "unknown key \"\(line.prefix { $0 != ":" })\" in the manifest"
      ])
  }

  @Test("So are the keys of its initializers", arguments: ["stop: x", "once: fleet", "worker: false"])
  func keysOfInitializers(field: String) {
    #expect(
      findings("version: 1\ninitializers: { a: { command: x, \(field) } }") == [
        "unknown key \"\(field.prefix { $0 != ":" })\" in initializer \"a\""
      ])
  }

  @Test("Each initializer needs a command, and there must be one")
  func missing() {
    #expect(findings("version: 1\ninitializers: { a: {} }") == ["initializer \"a\" has no command"])
    #expect(findings("version: 1") == ["there are no initializers for this worker"])
    #expect(findings("version: 1\ninitializers: {}") == ["there are no initializers for this worker"])
  }
}
