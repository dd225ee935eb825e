internal import Libuv
internal import Platform

/// Returns free memory of the heap to the system in a quiet moment: after much was freed, and after a pass.
///
/// The C library returns memory by itself only from the end of the heap: one small allocation there keeps the megabytes before it.
final class IdleMemory: Part {
  /// How many bytes must have been freed.
  private static let much = 256 << 10
  /// How long after the last event that frees memory, because more may follow.
  private static let delay = Duration.milliseconds(500)

  let core: Core
  private let timer: Libuv.Timer
  /// The bytes freed since this was last scheduled.
  private var freedBytes = 0

  init(_ core: Core) {
    self.core = core
    timer = Timer(loop: core.loop, name: "idle memory")
  }

  /// So many bytes were freed.
  func freed(_ bytes: Int) {
    freedBytes += bytes
    guard freedBytes >= Self.much else { return }
    freedBytes = 0
    giveBackLater()
  }

  /// A pass has ended.
  func passEnded() {
    if configuration.isWholeProcess { giveBackLater() }
  }

  private func giveBackLater() {
    timer.start(after: Self.delay) { Heap.giveBack() }
  }

  /// Stops the timer.
  func close() { timer.close() }
}
