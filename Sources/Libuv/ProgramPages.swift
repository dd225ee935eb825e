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
    // It is 0 if the poll wouldn't sleep, and also if it has to add new watchers to the epoll first.
    let timeout = uv_backend_timeout(loop)
    guard timeout != 0 else { return }
    platform_sleep_without_program_pages(uv_backend_fd(loop), timeout)
    uv_update_time(loop)
  }
}
