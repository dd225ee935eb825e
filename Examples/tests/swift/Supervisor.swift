import Foundation
import InitClient
import Testing

/// An app that is ready.
struct App: Sendable {
  /// The app of the suite.
  @TaskLocal static var current: App?

  /// A client of the supervisor.
  let client: SupervisorClient
  /// The environment of a program that needs the app: it has `INITD_SOCKET`, the ports and the outputs.
  let environment: [String: String]

  /// Returns the number of a port of the manifest.
  func port(_ name: String) throws -> Int {
    try #require(environment[variable("PORT", name)].flatMap { Int($0) }, "the app has no port \(name)")
  }

  /// Returns the output that an initializer had when the app became ready.
  func output<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    let json = try #require(environment[variable("INPUT", name) + "_JSON"], "the app has no output \(name)")
    return try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  private func variable(_ kind: String, _ name: String) -> String {
    "INITD_\(kind)_\(String(name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }))"
  }
}

/// The supervisor can't be started, or the app isn't ready.
struct StartFailed: Error, CustomStringConvertible {
  /// The reason, with the output of what failed.
  let description: String
}

/// Runs the tests of a suite with an app of their own, `App.current`.
struct SupervisorTrait: SuiteTrait, TestScoping {
  let manifest: String
  let timeout: Duration

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withSupervisor(of: manifest, timeout: timeout) { app in
      try await App.$current.withValue(app) { try await function() }
    }
  }
}

extension Trait where Self == SupervisorTrait {
  /// Starts a supervisor of this manifest before the tests of a suite, and stops it after them.
  static func supervisor(_ manifest: String, timeout: Duration = .seconds(60)) -> Self {
    SupervisorTrait(manifest: manifest, timeout: timeout)
  }
}

/// Starts a supervisor of a manifest, activates the app, waits until it is ready, and stops everything after `body`.
///
/// - Parameters:
///   - manifest: the path.
///   - timeout: how long the start may take.
///   - programs: the directory of `initd` and `initctl`; by default they are those that the package of the tests builds, else those in
///     `PATH`.
///   - body: gets the app.
/// - Returns: the value of `body`.
/// - Throws: `StartFailed`, or the error of `body`.
func withSupervisor<Value>(
  of manifest: String, timeout: Duration = .seconds(60), programs: String? = nil, _ body: (App) async throws -> Value
) async throws -> Value {
  let supervisor = try Supervisor(of: manifest, programs: programs)
  do {
    let environment = try await supervisor.environmentOfApp(within: timeout)
    let client = try await SupervisorClient.connect(at: environment["INITD_SOCKET"])
    let value = try await body(App(client: client, environment: environment))
    await client.close()
    await supervisor.stop()
    return value
  } catch {
    await supervisor.stop()
    throw error
  }
}

/// A supervisor and its temporary directory, until `stop()`.
private struct Supervisor {
  /// Runs the supervisor until standard input ends, as it does when this process ends, however it ends. Then stops it, and removes its
  /// files.
  ///
  /// Only the supervisor and its app keep standard output open: if it ends before the environment of the app is complete, the start has
  /// failed.
  private static let guardScript = """
    directory=$1
    shift
    "$@" </dev/null 2>"$directory/log" &
    exec >/dev/null
    cat
    kill "$!"
    wait "$!"
    status=$?
    rm -rf "$directory"
    exit "$status"
    """
  /// The app, which is started once everything is ready, writes its environment.
  private static let appScript = #"env -0; printf '\000'; exec sleep 1000000000"#

  private let manifest: String
  private let programs: String?
  private let directory: URL
  private let shell = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let ended: AsyncStream<Never>

  init(of manifest: String, programs: String?) throws {
    self.manifest = manifest
    self.programs = programs
    let (ended, end) = AsyncStream.makeStream(of: Never.self)
    self.ended = ended
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("initd-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let (socket, state) = ("\(directory.path)/socket", "\(directory.path)/state")
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", Self.guardScript, "sh", directory.path, program("initd"), "--config", manifest, "--socket", socket,
      "--state-directory", state, "--", "/bin/sh", "-c", Self.appScript,
    ]
    shell.environment = Self.environment
    shell.standardInput = input
    shell.standardOutput = output
    shell.standardError = FileHandle.nullDevice
    shell.terminationHandler = { _ in end.finish() }
    try shell.run()
  }

  /// Returns the environment of the app, once it has been started.
  func environmentOfApp(within timeout: Duration) async throws -> [String: String] {
    let (parts, source) = AsyncStream.makeStream(of: Data.self)
    let reader = output.fileHandleForReading
    reader.readabilityHandler = { reader in
      let part = reader.availableData
      if part.isEmpty { source.finish() } else { source.yield(part) }
    }
    let deadline = ContinuousClock.now + timeout
    let limit = Task {
      try await Task.sleep(until: deadline)
      source.finish()
    }
    defer {
      limit.cancel()
      reader.readabilityHandler = nil
    }
    var told = Data()
    for await part in parts {
      told += part
      if told.suffix(2) == Data([0, 0]) { return Self.variables(told) }
    }
    try Task.checkCancellation()
    throw await ContinuousClock.now < deadline ? startFailed() : isLate(timeout)
  }

  /// Stops the supervisor, and returns its exit status. Kills everything after a minute.
  @discardableResult func stop() async -> Int32 {
    try? input.fileHandleForWriting.close()
    let group = -shell.processIdentifier
    let limit = Task {
      try await Task.sleep(for: .seconds(60))
      kill(group, SIGKILL)
    }
    // Not in this task, which may be cancelled.
    await Task { for await _ in ended {} }.value
    limit.cancel()
    try? FileManager.default.removeItem(at: directory)  // The script has removed it, unless it was killed.
    return shell.terminationStatus
  }

  /// Returns the error for an app that isn't ready in time, with what the supervisor says about it.
  private func isLate(_ timeout: Duration) async -> StartFailed {
    let why = explanation("--socket", "\(directory.path)/socket", "--connect-timeout", "10s")
    await stop()
    return StartFailed(description: "\(manifest): the app isn't ready after \(timeout)\n\(why)")
  }

  /// Returns the error for a supervisor that has ended, with what it has recorded, or its log if it hasn't started anything.
  private func startFailed() async -> StartFailed {
    let why = explanation("--state-directory", "\(directory.path)/state")
    let log = (try? String(contentsOf: directory.appendingPathComponent("log"), encoding: .utf8)) ?? ""
    let status = await stop()
    let text =
      switch status {
      case 1: "\(manifest): the start has failed\n\(why)"
      case 127: "cannot find initd: install it as INSTALL.md of AppInitializers says, or name its directory\n\(log)"
      default: "\(manifest): initd has ended with status \(status)\n\(log)"
      }
    return StartFailed(description: text)
  }

  /// Returns the tree of `initctl why`, which has the last lines of what failed.
  private func explanation(_ source: String...) -> String {
    let (initctl, said) = (Process(), Pipe())
    initctl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    initctl.arguments = [program("initctl"), "why"] + source
    initctl.environment = Self.environment
    initctl.standardOutput = said
    initctl.standardError = said
    guard (try? initctl.run()) != nil else { return "" }
    return String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// The environment of this process without the variables of a supervisor that runs it.
  private static var environment: [String: String] {
    ProcessInfo.processInfo.environment.filter { name, _ in
      !["INITD_", "NOTIFY_", "LISTEN_", "WATCHDOG_"].contains { name.hasPrefix($0) }
    }
  }

  /// Returns a path, or the name of a program in `PATH`.
  private func program(_ name: String) -> String {
    if let programs { return "\(programs)/\(name)" }
    let built = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
    return FileManager.default.isExecutableFile(atPath: built.path) ? built.path : name
  }

  private static func variables(_ told: Data) -> [String: String] {
    let entries = told.dropLast(2).split(separator: 0).map { entry in
      String(decoding: entry, as: UTF8.self).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    return Dictionary(entries.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { $1 })
  }
}
