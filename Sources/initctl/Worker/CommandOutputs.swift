internal import InitClient
internal import InitWire
internal import Libuv
internal import Platform

/// The output files of commands; on the loop's thread.
final class CommandOutputs: @unchecked Sendable {
  /// The maximum size of one; the supervisor has its own limit.
  private static let limit = 1024 * 1024

  private let directory: PrivateDirectory

  /// - Parameter loop: its guard removes the files if this process is killed.
  init(loop: Loop) {
    let variable = "XDG_RUNTIME_DIR"
    directory = PrivateDirectory(
      in: ProcessEnvironment.variables()[variable] ?? "/tmp", from: variable, guardedBy: { loop.childGuard })
    directory.onFallback = { Console.complain($0) }
    directory.removeAbandoned()
  }

  /// The path of a run's output file; nil if there is no directory for it.
  func file(of run: Int) -> OutputFile? { directory.outputFile(of: run) }

  /// Sets the run's output from its file.
  ///
  /// - Throws: `WireError`, the run's answer, if the output can't be used.
  func handOver(_ file: OutputFile?, of run: WorkerRun, isSecret: Bool) async throws {
    do {
      guard let text = try file?.take(limit: Self.limit) else { return }
      await run.handOver(try RunOutput(written: text, isSecret: isSecret))
    } catch {
      throw WireError(code: 1, message: "cannot use the output in INITD_OUTPUT: \(error)")
    }
  }

  /// Removes them.
  func close() { directory.remove() }
}
