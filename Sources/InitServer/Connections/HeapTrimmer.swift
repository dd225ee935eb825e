internal import EventLoop
internal import Platform

/// Returns free memory of the heap to the system in a quiet moment: after much was freed, and after a pass.
///
/// If very much was freed, it doesn't wait for that moment: clients who come and go could postpone it indefinitely.
///
/// The C library returns memory only from the end of the heap: one small allocation there keeps the megabytes before it.
final class HeapTrimmer {
  /// How many bytes must have been freed.
  private static let much = 256 << 10
  /// How many bytes may have been freed, at most, before memory is returned.
  private static let veryMuch = 16 << 20
  /// The delay after the last event that frees memory, because more may follow.
  private static let delay = Duration.milliseconds(500)

  private let isWholeProcess: Bool
  private let loop: Loop
  private let timer: EventLoop.Timer
  /// The bytes freed since this was last scheduled, and since memory was last returned.
  private var freedBytes = 0
  private var unreturnedBytes = 0
  /// Whether clients hold so much that large blocks are kept apart.
  private var isLarge = false

  init(_ context: ServerContext) {
    isWholeProcess = context.settings.isWholeProcess
    loop = context.loop
    timer = Timer(loop: context.loop, name: "idle memory")
  }

  /// Records how many bytes were freed.
  func freed(_ bytes: Int) {
    freedBytes += bytes
    unreturnedBytes += bytes
    if unreturnedBytes >= Self.veryMuch {
      freedBytes = 0
      unreturnedBytes = 0
      // A connection's memory is freed at the end of the turn in which it is closed.
      return loop.nextTurn { Heap.giveBack() }
    }
    guard freedBytes >= Self.much else { return }
    freedBytes = 0
    giveBackLater()
  }

  /// Records whether clients hold much memory.
  ///
  /// Sets whether large blocks are likely. Then a block of more than 128 KiB is kept apart: it is returned to the system when it is freed,
  /// and leaves no gap that is too small for the next one. Usually large blocks aren't kept apart, because getting such a block costs more.
  func isLarge(_ isLarge: Bool) {
    guard isLarge != self.isLarge, isWholeProcess else { return }
    self.isLarge = isLarge
    Heap.keepApart(blocksFrom: isLarge ? 128 << 10 : 4 << 20)
  }

  /// Returns memory to the system soon, because a pass has ended.
  func passEnded() {
    if isWholeProcess { giveBackLater() }
  }

  private func giveBackLater() {
    timer.start(after: Self.delay) { [unowned self] in
      unreturnedBytes = 0
      Heap.giveBack()
    }
  }

  /// Stops the timer.
  func close() { timer.close() }
}
