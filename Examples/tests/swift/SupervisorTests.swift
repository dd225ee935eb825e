import Foundation
import InitClient
import InitModel
import Testing

/// Tests the trait itself: how a start fails, and that nothing is left behind.
@Suite("A supervisor for tests")
struct SupervisorTests {
  /// Everything of a test has this path: its manifest, and the environment of its processes.
  private let folder = "/tmp/fixture-\(UUID().uuidString)"

  /// Writes a manifest, and returns the path.
  private func manifest(_ text: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/ci.yaml"
    try "version: 1\nenvironment: { FOLDER: \(folder) }\n\(text)".write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// Returns the words of the processes that have the folder in their words or in their environment.
  private func processes() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap { pid in
      let texts = ["cmdline", "environ"].map { FileManager.default.contents(atPath: "/proc/\(pid)/\($0)") ?? Data() }
      let isOurs = texts.contains { String(decoding: $0, as: UTF8.self).contains(folder) }
      return isOurs ? String(decoding: texts[0], as: UTF8.self) : nil
    }
  }

  private func expectNothingIsLeft() throws {
    #expect(try processes() == [])
    try FileManager.default.removeItem(atPath: folder)
  }

  /// Returns the message of a start that fails.
  private func message(
    _ text: String, timeout: Duration = .seconds(60), programs: String? = nil
  ) async throws -> String {
    let manifest = try manifest(text)
    let failed = await #expect(throws: StartFailed.self) {
      try await withSupervisor(of: manifest, timeout: timeout, programs: programs) { _ in }
    }
    try expectNothingIsLeft()
    return try #require(failed).description
  }

  @Test("Two run side by side, and end with their blocks")
  func two() async throws {
    let manifest = try manifest("ports: { web: auto }\nprocesses: { web: { command: [sleep, 1000] } }\n")
    try await withSupervisor(of: manifest) { one in
      let number = try one.port("web")
      try await withSupervisor(of: manifest) { other in
        let another = try other.port("web")
        #expect(number != another)
      }
      let status = try await one.client.status()
      #expect(status.ports == ["web": number])
      let processes = try processes()
      #expect(processes.count > 1)
    }
    try expectNothingIsLeft()
  }

  @Test("An error in the block stops everything, and is thrown")
  func error() async throws {
    struct Wrong: Error {}
    let manifest = try manifest("processes: { web: { command: [sleep, 1000] } }\n")
    await #expect(throws: Wrong.self) { try await withSupervisor(of: manifest) { _ in throw Wrong() } }
    try expectNothingIsLeft()
  }

  @Test("A test that is cancelled during the start leaves nothing behind")
  func cancellation() async throws {
    let manifest = try manifest("initializers: { slow: { command: 'touch started; exec sleep 1000' } }\n")
    let test = Task { try await withSupervisor(of: manifest) { _ in } }
    while !FileManager.default.fileExists(atPath: "\(folder)/started") { try await Task.sleep(for: .milliseconds(10)) }
    test.cancel()
    await #expect(throws: CancellationError.self) { try await test.value }
    try expectNothingIsLeft()
  }

  @Test("The message of a failed start names the initializer, and has its output")
  func failure() async throws {
    let message = try await message("initializers: { seed: { command: 'echo no space >&2; exit 3' } }\n")
    #expect(message.contains("/ci.yaml: the start has failed\n"))
    #expect(message.contains("└─ seed failed"))
    #expect(message.contains("seed | no space"))
  }

  @Test("A start that takes too long says what still runs")
  func late() async throws {
    let message = try await message(
      "initializers: { slow: { command: [sleep, 1000] } }\n", timeout: .milliseconds(200))
    #expect(message.contains("/ci.yaml: the app isn't ready after 0.2 seconds\n"))
    #expect(message.contains("└─ slow "))
  }

  @Test("The message of a bad manifest has its mistakes")
  func mistakes() async throws {
    let message = try await message("initializers:\n  a: { comand: x }\n")
    #expect(message.contains("/ci.yaml: initd has ended with status 65\n"))
    #expect(message.contains("/ci.yaml:4:8: "))
  }

  @Test("A missing program is an error that says what to do")
  func missing() async throws {
    let message = try await message("", programs: "/nowhere")
    #expect(message.hasPrefix("cannot find initd: install it as INSTALL.md"))
  }
}
