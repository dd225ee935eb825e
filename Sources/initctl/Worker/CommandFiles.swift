internal import EventLoop
internal import InitClient
internal import InitJSON
internal import InitModel
internal import InitProcesses
internal import InitWire
internal import Platform

/// The output files and notification sockets of commands.
@ProgramLoop final class CommandFiles {
  /// The maximum size of an output; the supervisor has its own limit.
  private static let limit = 1024 * 1024

  private let directory: PrivateDirectory
  private let notifySockets: NotifySockets
  private var hasComplained = false

  /// - Parameter children: the children whose guard removes the files if this process is killed.
  init(for children: ChildTable) {
    let (parent, variable) = PrivateDirectory.usualParent(ProcessEnvironment.variables())
    directory = PrivateDirectory(in: parent, from: variable, guardedBy: { children.childGuard })
    directory.onFallback = { Console.complain($0) }
    directory.removeAbandoned()
    notifySockets = NotifySockets(loop: children.loop, in: directory)
  }

  /// Returns the run's output file; nil if there is no directory for it.
  func outputFile(of run: Int) -> OutputFile? { directory.outputFile(of: run) }

  /// Returns a file with the run's inputs; nil if there is no directory for it.
  ///
  /// - Throws: `WireError`, the run's answer, if it can't be written.
  func inputFile(of run: WorkerRun) throws(WireError) -> InputFile? {
    do throws(SystemError) {
      return try directory.inputFile(of: run.params.run, Array(RawJSON.object(run.params.inputs).bytes))
    } catch {
      throw WireError(code: 1, message: "cannot write the inputs: \(error)")
    }
  }

  /// Returns the path of a socket for the run's progress, until ``end(run:)``; nil if it can't be made.
  func notifySocket(of run: WorkerRun) -> String? {
    do {
      return try notifySockets.lend(run: run.params.run) { run.report(StatusNotification($0)) }
    } catch {
      if !hasComplained { Console.complain("cannot receive progress by NOTIFY_SOCKET: \(error)") }
      hasComplained = true
      return nil
    }
  }

  /// Reports the progress that a run has sent so far, because the run has ended.
  func end(run: Int) {
    // The socket isn't used again: a process that the run left behind may still be connected to it.
    if let socket = notifySockets.end(run: run) { notifySockets.reclaim(socket, mayBeLent: false) }
  }

  /// Sets the run's output from its file.
  ///
  /// - Throws: `WireError`, the run's answer, if the output can't be used.
  func handOver(_ file: OutputFile?, of run: WorkerRun, isSecret: Bool) async throws {
    do {
      guard let text = try file?.readAndRemove(limit: Self.limit) else { return }
      await run.handOver(try RunOutput(written: text, isSecret: isSecret))
    } catch {
      throw WireError(code: 1, message: "cannot use the output in INITD_OUTPUT: \(error)")
    }
  }

  /// Removes them.
  func close() {
    notifySockets.close()
    directory.remove()
  }
}
