internal import CLibuv
internal import CPlatform
public import Platform

/// Calls back on a loop's thread for each signal.
///
/// libuv installs its own handlers: a `DispatchSource` for the same signal, or any other handler, disables it. SIGKILL and SIGSTOP can't be
/// watched.
public final class SignalSource {
  private let handle: LoopHandle<uv_signal_t>
  private var action: (() -> Void)?

  /// Watches `signal` from now on.
  ///
  /// Throws if the signal can't be watched, or descriptors are exhausted.
  public init(loop: Loop, signal: Int32, then action: @escaping () -> Void) throws(SystemError) {
    handle = try LoopHandle("signal \(signal)", on: loop, call: "uv_signal_init") { uv_signal_init($0, $1) }
    handle.setOwner(self)
    guard let source = handle.pointer else { return }
    platform_note_signal(signal)
    let status = FaultInjection.status(
      uv_signal_start(
        source, { source, _ in LoopHandle.owner(of: source, as: SignalSource.self)?.action?() }, signal))
    guard status == 0 else { throw .uv("uv_signal_start", status, "signal \(signal)") }
    self.action = action
  }

  /// Stops watching, and restores the signal's default action.
  ///
  /// Further calls have no effect. Deinit does the same.
  public func close() {
    handle.close()
    action = nil
  }
}
