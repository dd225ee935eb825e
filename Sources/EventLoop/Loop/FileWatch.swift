internal import CLibuv
internal import Platform

/// Calls back on a loop's thread when a file may have changed: its name was removed, or its mode, owner or content changed; of a directory,
/// also when a file in it may have changed.
final class FileWatch {
  private let handle: LoopHandle<uv_fs_event_t>
  private let action: (_ name: String) -> Void

  /// Watches the file at a path, even if it is renamed later; `action` is passed the last component of the path of what has changed.
  ///
  /// Throws if the file doesn't exist, or the system's watches are exhausted.
  init(loop: Loop, path: String, then action: @escaping (_ name: String) -> Void) throws(SystemError) {
    self.action = action
    handle = try LoopHandle("watch \(path)", on: loop, call: "uv_fs_event_init") { uv_fs_event_init($0, $1) }
    handle.setOwner(self)
    guard let watch = handle.pointer else { return }
    let status = FaultInjection.status(
      uv_fs_event_start(
        watch,
        { watch, name, _, _ in
          LoopHandle.owner(of: watch, as: FileWatch.self)?.action(name.map { String(cString: $0) } ?? "")
        }, path, 0)
    )
    guard status == 0 else { throw .uv("uv_fs_event_start", status, path) }
  }

  /// Stops watching.
  ///
  /// Further calls have no effect. Deinit does the same.
  func close() { handle.close() }
}
