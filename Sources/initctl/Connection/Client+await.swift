internal import CommandLineOptions
internal import InitClient
internal import InitWire

extension Client {
  /// How much longer than its timeout the answer may take before the supervisor counts as stuck.
  private static let patience = Duration.seconds(2)

  /// Waits for a target, and prints on standard error why it isn't complete, or what is still pending. Returns the exit status.
  func await(_ target: WaitTarget, timeout: Duration?, appear: Bool = false) async throws -> ProgramStatus {
    do throws(ClientError) {
      let state = try await wait(
        WaitParams(for: target, timeout: timeout?.inSeconds, appear: appear),
        within: timeout.map { $0 + Client.patience })
      if state.state != .complete { await explain(target, state) }
      return ProgramStatus(for: state)
    } catch {
      guard case .refused(let refusal) = error, refusal.knownCode == .timeout else { throw error }
      let after = timeout.map { " after \($0.words)" } ?? ""
      Console.complain("timed out\(after): \(target) is still pending")
      if case .status(let status) = refusal.detail {
        Console.explain(WaitReport.stillWaiting(for: target, status))
      }
      return .timedOut
    }
  }

  private func explain(_ target: WaitTarget, _ state: StateShape) async {
    Console.complain(WaitReport.sentence(target, state))
    // The reason is already printed. If the output can't be fetched, nothing more is printed.
    guard let error = state.error, let status = try? await status(), let run = WaitReport.run(of: error, in: status),
      let lines = try? await logs(of: error.initializer, limit: 100)
    else { return }
    Console.explain(WaitReport.output(of: run, in: lines))
  }
}
