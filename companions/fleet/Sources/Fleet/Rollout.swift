/// An order to many hosts, some at a time, until the first failure: a value without side effects.
///
/// Invariants:
///
/// 1. At most `width` hosts have an order that hasn't ended.
/// 2. After a failure, no further host gets an order; the rollout waits for the hosts that have one.
/// 3. Each host gets at most one order, in the order of their names.
package struct Rollout: Sendable {
  /// The outcome of a host's order.
  package enum End: Sendable, Hashable {
    case complete
    case failed(String)
  }

  /// The hosts that have no order yet, the next host last.
  private var rest: [String]
  private let width: Int
  /// The hosts with an order that hasn't ended.
  package private(set) var open: Set<String> = []
  /// The outcomes of the other hosts that got an order.
  package private(set) var ends: [String: End] = [:]

  /// Creates the rollout of an order to these hosts.
  ///
  /// `width` is the maximum number of hosts at a time, at least 1.
  package init(to hosts: [String], width: Int) {
    rest = hosts.sorted().reversed()
    self.width = width
  }

  /// Whether an order has failed.
  package var hasFailed: Bool { ends.values.contains { $0 != .complete } }

  /// Whether no host is left to order or to wait for.
  package var isOver: Bool { open.isEmpty && (rest.isEmpty || hasFailed) }

  /// The hosts that have no order yet.
  ///
  /// After a failure they get none.
  package var waiting: [String] { rest.reversed() }

  /// Returns the hosts that get an order now.
  package mutating func next() -> [String] {
    var now: [String] = []
    while !hasFailed, open.count < width, let host = rest.popLast() {
      open.insert(host)
      now.append(host)
    }
    return now
  }

  /// Records the end of a host's order.
  ///
  /// Returns whether the host had one.
  package mutating func record(_ end: End, of host: String) -> Bool {
    guard open.remove(host) != nil else { return false }
    ends[host] = end
    return true
  }
}
