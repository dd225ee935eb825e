/// What the streams of a loop have written since it last polled: each stream's bytes become one system call.
///
/// The frames of a stream are a chain in one list, so that an idle stream needs no memory for them, and a frame that many streams get isn't
/// copied for each of them.
struct GatheredWrites {
  /// A stream's frames, from its first to its last one in the list.
  struct Chain {
    fileprivate let first: Int
    fileprivate var last: Int
    /// The bytes of all of them.
    fileprivate(set) var count: Int
  }

  /// A chain of at most this many bytes waits for the poll.
  static let chainBytes = 16 * 1024
  /// The list has at most this many frames.
  private static let greatestCount = 32 * 1024

  private var frames: [(bytes: [UInt8], next: Int?)] = []
  /// The streams that have a chain, and some that had one.
  private(set) var streams: [Stream] = []
  /// The bytes of a chain of several frames, for its system call.
  private var scratch: [UInt8] = []

  /// Whether all must be written now, because the list is long.
  var isFull: Bool { frames.count >= Self.greatestCount }

  /// Adds a frame to a stream's chain; returns the chain.
  mutating func add(_ frame: [UInt8], of stream: Stream, to chain: Chain?) -> Chain {
    frames.append((frame, nil))
    let place = frames.count - 1
    guard var chain else {
      streams.append(stream)
      return Chain(first: place, last: place, count: frame.count)
    }
    frames[chain.last].next = place
    chain.last = place
    chain.count += frame.count
    return chain
  }

  /// Calls `body` with the bytes of a chain.
  mutating func withBytes(of chain: Chain, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard chain.first != chain.last else { return frames[chain.first].bytes.withUnsafeBytes(body) }
    scratch.removeAll(keepingCapacity: true)
    var place: Int? = chain.first
    while let next = place {
      scratch += frames[next].bytes
      place = frames[next].next
    }
    scratch.withUnsafeBytes(body)
  }

  /// All streams have written their chains.
  mutating func removeAll() {
    // The capacity of an ordinary turn is kept.
    frames.removeAll(keepingCapacity: frames.capacity <= 1024)
    streams.removeAll(keepingCapacity: streams.capacity <= 1024)
  }
}

extension Loop {
  /// Has all streams write what they have gathered. Timers and work come before this in a turn, and after it only the poll.
  func writeGathered() {
    guard !gatheredWrites.streams.isEmpty else { return }
    for stream in gatheredWrites.streams { stream.writeGathered() }
    gatheredWrites.removeAll()
  }
}
