internal import CLibuv
internal import CPlatform

/// The pages of the program's file that the kernel has mapped for this process. It may have mapped the whole file, although an idle program
/// uses little of it.
struct ProgramPages {
  /// Whether the next sleep is without them.
  var areReleased = false

  /// If they are to be released, unmaps those that can't be written, and sleeps as the loop's poll would that follows: what ran between this
  /// and the poll would be mapped again.
  mutating func sleepWithoutThem(_ loop: UnsafeMutablePointer<uv_loop_t>) {
    guard areReleased else { return }
    areReleased = false
    // A new watcher is added to the epoll only when the loop polls; until then it is in this queue, which is linked to itself if it is empty.
    let queue = UnsafeMutableRawPointer(loop) + MemoryLayout<uv_loop_t>.offset(of: \.watcher_queue)!
    guard queue.load(as: UnsafeMutableRawPointer?.self) == queue else { return }
    platform_sleep_without_program_pages(uv_backend_fd(loop), uv_backend_timeout(loop))
    uv_update_time(loop)
  }
}
