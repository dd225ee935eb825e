import AppInitializers
import Glibc
import InitCore
import InitDeclarations
import Logging
import TestSupport
import Testing

@testable import EventLoop
@testable import InitSupervisor
@testable import Platform

/// A supervisor on its own loop and thread, and a directory for its files.
final class Stage: Sendable {
  /// The files that are left when the supervisor has ended.
  struct Ending: Equatable {
    var openHandles: [String] = []
    var isSupervisorFreed = true
    var files: [String] = []
  }

  private struct Content {
    var loop: Loop?
    /// Used only on the loop's thread: a reference of another thread could outlast the supervisor's end.
    var supervisor: Supervisor?
    var ending: Ending?
    var fault: (any Error)?
  }

  let directory: TemporaryDirectory
  var socketPath: String { directory["socket"] }
  private let content = Monitor(Content())

  /// Starts the supervisor; fails if it can't start.
  init(in directory: TemporaryDirectory, _ setting: Setting) throws {
    self.directory = directory
    try PlatformThread.start(name: "supervisor") { [self] in play(setting) }
    let fault: String? = content.wait { content in
      if let fault = content.fault { return .some("\(fault)") }
      return content.loop == nil ? nil : .some(nil)
    }
    if let fault { throw StageFault(description: fault) }
  }

  private func play(_ setting: Setting) {
    do {
      let loop = try Loop()
      // A supervisor that couldn't start must leave nothing, either.
      defer { try? loop.close() }
      weak let leftover = try run(on: loop, setting)
      var ending = Ending()
      do { try loop.close() } catch { ending.openHandles = error.names }
      ending.isSupervisorFreed = leftover == nil
      ending.files = directory.names
      content.withLock { $0.ending = ending }
    } catch {
      content.withLock { $0.fault = error }
    }
    content.broadcast()
  }

  private func run(on loop: Loop, _ setting: Setting) throws -> Supervisor {
    var configuration = SupervisorConfiguration(socketPath: socketPath)
    configuration.runtimeDirectory = directory.path
    configuration.environment = SupervisorConfiguration.inherited(ProcessEnvironment.variables())
    setting.configure(&configuration, directory)
    let logger = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
    let supervisor = Supervisor(configuration, objects: setting.objects(), loop: loop, logger: logger)
    try supervisor.assumeIsolated { supervisor in try supervisor.start { loop.stop() } }
    content.withLock {
      $0.loop = loop
      $0.supervisor = supervisor
    }
    content.broadcast()
    loop.run()
    content.withLock {
      $0.loop = nil
      $0.supervisor = nil
    }
    return supervisor
  }

  /// Runs a closure on the supervisor's loop, in its next turn.
  ///
  /// No effect once it has ended.
  func perform(_ action: @escaping @Sendable (isolated Supervisor) -> Void) {
    guard let loop = content.withLock({ $0.loop }) else { return }
    loop.perform { [self] in content.withLock { $0.supervisor }?.assumeIsolated(action) }
  }

  /// Polls the supervisor until the condition holds.
  func eventually(_ isSo: @escaping @Sendable (isolated Supervisor) -> Bool) -> Bool {
    for _ in 0..<Patience.looks {
      let answer = Monitor<Bool?>(nil)
      perform { supervisor in
        let isNow = isSo(supervisor)
        answer.withLock { $0 = isNow }
        answer.signal()
      }
      if answer.wait({ $0 }) { return true }
      usleep(1000)
    }
    return false
  }

  /// Waits until the supervisor has ended, and returns the files that are left.
  func ended() -> Ending { content.wait { $0.ending } }
}

/// A stage that couldn't be set up.
struct StageFault: Error, CustomStringConvertible {
  let description: String
}

/// Threads for scripts, which block.
private let scripts = ThreadExecutor(name: "script")

/// The configuration of a stage.
struct Setting: Sendable {
  var objects: @Sendable () -> [any AppInitializer] = { [] }
  var configure: @Sendable (inout SupervisorConfiguration, TemporaryDirectory) -> Void = { _, _ in }

  /// Runs a script against a supervisor, in a thread that may block.
  ///
  /// Afterwards the supervisor is shut down, unless the script has done so. It must leave nothing: no open handle, no file, no object.
  func play<Outcome: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation, _ script: @escaping @Sendable (Stage) throws -> Outcome
  ) async throws -> Outcome {
    try await withTaskExecutorPreference(scripts) {
      let directory = TemporaryDirectory()
      let stage = try Stage(in: directory, self)
      let outcome = Result { try script(stage) }
      stage.perform { $0.shutDown(because: "the script is over") }
      // A failed script may have left runs that wait forever.
      if case .failure = outcome { stage.perform { $0.skipWaiting() } }
      let ending = stage.ended()
      if case .success = outcome {
        // The lock file stays, so that no other process can have locked the path in the meantime.
        let expected = Stage.Ending(files: ending.files.filter { $0 == "socket.lock" || $0.hasSuffix(".fifo") })
        #expect(ending == expected, sourceLocation: sourceLocation)
      }
      return try outcome.get()
    }
  }
}

extension SupervisorConfiguration {
  /// Adds a command to the manifest.
  mutating func add(_ declaration: Declaration, command: [String]) {
    initializers.append(DeclaredInitializer(declaration, command: Command(command)))
  }

  /// Adds a shell script.
  mutating func add(_ declaration: Declaration, shell: String) {
    add(declaration, command: ["/bin/sh", "-c", shell])
  }

  /// Adds a name that a worker must register.
  mutating func add(worker declaration: Declaration) { initializers.append(DeclaredInitializer(declaration)) }
}
