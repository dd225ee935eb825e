internal import CLibuv

/// The loop's own handles: those that wake it, and those that are called around its poll.
struct OwnHandles {
  let wakeUp = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  let moreWork = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
  let beforePoll = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  let turnEnd = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)

  /// Whether a further turn is requested.
  var hasMoreWork: Bool { uv_is_active(Self.handle(moreWork)) != 0 }

  /// Initializes them.
  ///
  /// `onWakeUp` is called when another thread has woken the loop. Returns libuv's status. If it isn't 0, they are closed.
  func open(on loop: UnsafeMutablePointer<uv_loop_t>, onWakeUp: uv_async_cb) -> CInt {
    uv_idle_init(loop, moreWork)
    uv_prepare_init(loop, beforePoll)
    uv_check_init(loop, turnEnd)
    // These handles don't keep the loop running.
    uv_unref(Self.handle(beforePoll))
    uv_unref(Self.handle(turnEnd))
    let status = uv_async_init(loop, wakeUp, onWakeUp)
    if status != 0 {
      closeAroundPoll()
      uv_run(loop, UV_RUN_NOWAIT)
    }
    return status
  }

  /// Closes the handles.
  ///
  /// Their memory is freed separately.
  func close() {
    uv_close(Self.handle(wakeUp), nil)
    closeAroundPoll()
  }

  private func closeAroundPoll() {
    uv_close(Self.handle(moreWork), nil)
    uv_close(Self.handle(beforePoll), nil)
    uv_close(Self.handle(turnEnd), nil)
  }

  /// Frees the memory of the handles.
  func deallocate() {
    moreWork.deallocate()
    beforePoll.deallocate()
    turnEnd.deallocate()
    wakeUp.deallocate()
  }

  private static func handle<Raw>(_ raw: UnsafeMutablePointer<Raw>) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self)
  }
}
