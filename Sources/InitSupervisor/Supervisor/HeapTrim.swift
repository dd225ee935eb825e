internal import Libuv
internal import Platform

/// Returns the heap's free memory to the system in a quiet moment after much was freed.
///
/// The C library does so by itself only for memory at the end of the heap: one small allocation there keeps the megabytes before it.
final class HeapTrim: Part {
  /// How many bytes must have been freed.
  private static let much = 256 << 10
  /// How long after the last of them, because more may follow.
  private static let delay = Duration.seconds(1)

  let core: Core
  private let timer: Libuv.Timer
  /// The bytes freed since this was last scheduled.
  private var freedBytes = 0

  init(_ core: Core) {
    self.core = core
    timer = Timer(loop: core.loop, name: "heap trim")
  }

  /// So many bytes were freed.
  func freed(_ bytes: Int) {
    freedBytes += bytes
    guard freedBytes >= Self.much else { return }
    freedBytes = 0
    timer.start(after: Self.delay) { Heap.giveBack() }
  }

  /// Stops the timer.
  func close() { timer.close() }
}
