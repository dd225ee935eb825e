internal import CPlatform
internal import Platform

// Invariants:
//
// 1. A number is never given twice, so an event that was reported for a watch isn't handled by another one in its place.
// 2. A watch is removed from the epoll before its descriptor is closed: the owner closes the watch first, and the set keeps the descriptor
//    of an abandoned one.
// 3. Like a handle of libuv, a watch keeps the loop running: the common poll keeps it running while there is a watch.
// 4. The epoll is polled by level: a watch whose action doesn't read everything is called again in the next turn.

/// The watches of a loop: an epoll of their descriptors, which the loop polls as one.
final class ReadWatches {
  /// The name of the common poll.
  static let name = "watches"

  /// The number of a watch: its place in the lower half, and how often the place was taken before in the upper one.
  typealias Number = UInt64

  private struct Place {
    var number: Number
    var watch: Watch?
  }

  private struct Watch {
    let descriptor: Descriptor
    let name: String
    let action: () -> Void
  }

  private let epoll: Descriptor
  private var poll: Poll?
  private var places: [Place] = []
  private var free: [Int] = []

  /// Creates an empty set.
  ///
  /// Throws if descriptors are exhausted.
  init(loop: Loop) throws(SystemError) {
    let number = FaultInjection.refuses() ? -1 : platform_epoll_create()
    guard number >= 0 else { throw .last("epoll_create") }
    epoll = Descriptor(owning: number)
    poll = try Poll(loop: loop, descriptor: epoll, name: Self.name)
    try poll?.start(.readable) { [weak self] _ in self?.callActions() }
    poll?.setKeepsLoopRunning(false)
  }

  /// The names of the watches.
  var names: [String] { places.compactMap { $0.watch?.name } }

  /// Adds a watch, and returns its number.
  ///
  /// Throws when the system refuses.
  func add(_ descriptor: Descriptor, _ name: String, _ action: @escaping () -> Void) throws(SystemError) -> Number {
    let index = free.last ?? places.count
    let number = index < places.count ? places[index].number &+ Self.step : Number(index)
    guard !FaultInjection.refuses(), platform_epoll_add(epoll.number, descriptor.number, number) == 0 else {
      throw .last("epoll_ctl", name)
    }
    if free.count == places.count { poll?.setKeepsLoopRunning(true) }
    let place = Place(number: number, watch: Watch(descriptor: descriptor, name: name, action: action))
    if index < places.count {
      free.removeLast()
      places[index] = place
    } else {
      places.append(place)
    }
    return number
  }

  /// Removes a watch.
  func remove(_ number: Number) {
    let index = Self.index(of: number)
    guard places[index].number == number, let watch = places[index].watch else { return }
    platform_epoll_remove(epoll.number, watch.descriptor.number)
    free.append(index)
    if free.count == places.count { poll?.setKeepsLoopRunning(false) }
    // The action may own an object whose deinit removes another watch, so the action is released after the change of `places`.
    withExtendedLifetime(watch) { places[index].watch = nil }
  }

  /// Ends the polling.
  func close() {
    poll?.close()
    poll = nil
  }

  /// Calls the actions of the watches that are readable, up to a limit; the others are called in the next turn.
  private func callActions() {
    withUnsafeTemporaryAllocation(of: Number.self, capacity: Int(PLATFORM_EPOLL_EVENTS)) { numbers in
      let count = platform_epoll_ready(epoll.number, numbers.baseAddress)
      for number in numbers.prefix(max(0, Int(count))) {
        let place = places[Self.index(of: number)]
        if place.number == number { place.watch?.action() }
      }
    }
  }

  private static let step: Number = 1 << 32
  private static func index(of number: Number) -> Int { Int(number & (step - 1)) }
}

extension Loop {
  /// Returns the watches, which are created at first use.
  ///
  /// Throws if descriptors are exhausted.
  func watches() throws(SystemError) -> ReadWatches {
    if let readWatches { return readWatches }
    let made = try ReadWatches(loop: self)
    readWatches = made
    return made
  }

  /// Ends the polling of the watches, if none is left.
  func closeWatches() {
    guard readWatches?.names.isEmpty == true else { return }
    readWatches?.close()
    readWatches = nil
  }
}
