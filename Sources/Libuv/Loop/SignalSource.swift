internal import CLibuv
public import Platform

/// Calls back on a loop's thread whenever the process gets a signal.
///
/// libuv owns the signals it watches: a `DispatchSource` for the same signal, or anything else that installs a handler,
/// silences it. SIGKILL and SIGSTOP can't be watched.
public final class SignalSource {
  private let handle: LoopHandle<uv_signal_t>
  private var action: (() -> Void)?

  /// Watches `signal` from now on. Throws when the signal can't be watched, or for want of descriptors.
  public init(loop: Loop, signal: Int32, then action: @escaping () -> Void) throws(SystemError) {
    handle = try LoopHandle("signal \(signal)", on: loop, call: "uv_signal_init") { uv_signal_init($0, $1) }
    handle.setOwner(self)
    guard let source = handle.pointer else { return }
    let status = Seam.status(
      uv_signal_start(
        source, { source, _ in LoopHandle.owner(of: source, as: SignalSource.self)?.action?() }, signal))
    guard status == 0 else { throw .uv("uv_signal_start", status, "signal \(signal)") }
    self.action = action
  }

  /// Stops watching, and gives the signal back its default; any number of times. Dropping it does the same.
  public func close() {
    handle.close()
    action = nil
  }
}
