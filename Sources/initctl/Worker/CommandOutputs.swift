internal import InitClient
internal import InitWire
internal import Libuv
internal import Platform

/// The files in which commands leave what they hand over; on the loop's thread.
final class CommandOutputs: @unchecked Sendable {
  /// How large one may be; the supervisor has its own say.
  private static let limit = 1024 * 1024

  private let directory: PrivateDirectory

  /// - Parameter loop: whose guard removes them if this process is killed.
  init(loop: Loop) {
    directory = PrivateDirectory(
      in: ProcessEnvironment.variables()["XDG_RUNTIME_DIR"] ?? "/tmp", guardedBy: { loop.childGuard })
    directory.onFallback = { Console.complain($0) }
    directory.removeAbandoned()
  }

  /// Where a run's command may leave something; nil where there is no place for it.
  func file(of run: Int) -> OutputFile? {
    (try? directory.path()).map { OutputFile(path: "\($0)/output-\(run)") }
  }

  /// Hands over what a run's command has left.
  ///
  /// - Throws: `WireError`, the run's answer, where that can't be handed over.
  func handOver(_ file: OutputFile?, of run: WorkerRun, isSecret: Bool) async throws {
    do {
      guard let text = try file?.take(limit: Self.limit) else { return }
      await run.handOver(try RunOutput(written: text, isSecret: isSecret))
    } catch {
      throw WireError(code: 1, message: "cannot hand over what it wrote to INITD_OUTPUT: \(error)")
    }
  }

  /// Removes them.
  func close() { directory.remove() }
}
