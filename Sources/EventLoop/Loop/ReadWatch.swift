public import Platform

/// Calls back on a loop's thread while a descriptor is readable.
///
/// All watches of a loop share one ``Poll``, so a watch costs less than a poll of its own: two system calls instead of six, and no handle of
/// libuv. Use it for descriptors that come and go.
public final class ReadWatch {
  /// The descriptor that is watched.
  public let descriptor: Descriptor
  private let loop: Loop
  private var number: ReadWatches.Number?

  /// Calls `action` in every turn in which the descriptor is readable, or its other end is closed.
  ///
  /// Only one watch of a descriptor can exist at a time. Throws for descriptors that can't be watched, e.g. regular files (EPERM).
  public init(
    loop: Loop, descriptor: Descriptor, name: String, whenReadable action: @escaping () -> Void
  ) throws(SystemError) {
    loop.preconditionCurrent()
    self.descriptor = descriptor
    self.loop = loop
    number = try loop.watches().add(descriptor, name, action)
  }

  /// Ends the watching, and releases `action`.
  ///
  /// Stops watching; further calls have no effect. Deinit does the same.
  public func close() {
    loop.preconditionCurrent()
    guard let number else { return }
    self.number = nil
    loop.readWatches?.remove(number)
  }

  deinit {
    guard let number else { return }
    if loop.isCurrent {
      loop.readWatches?.remove(number)
    } else {
      loop.perform { [loop] in loop.readWatches?.remove(number) }
    }
  }
}
