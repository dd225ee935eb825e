internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// An entry of the list of `watch`: an initializer, a line for all initializers with one status, or a process that is no initializer.
struct WatchItem: Equatable {
  /// The identity of an item, regardless of its position.
  enum Name: Hashable {
    case initializer(String)
    case fold(Word<InitializerStatus>)
    case process(String)
  }

  let name: Name
  /// The index of an initializer in the Status, or of a process among its processes.
  var index = 0
  /// How many initializers a fold has, and how many of them are listed below it.
  var count = 0
  var shown = 0
  /// The text for the status.
  var label = ""
  /// The waiting time of the initializer, if it is shown for this reason.
  var waited: Double?
  /// The last lines of the initializer's output.
  var output: ArraySlice<String> = []

  /// The number of lines of the item.
  var height: Int { 1 + output.count }
}

/// The entries of `watch`, in order: initializers that failed, run, will be retried or have waited long; then one line for each other
/// status, followed by as many of its initializers as fit.
struct WatchList {
  /// How long an initializer with complete dependencies waits before it is listed, and how long one runs before its output is shown, in
  /// seconds.
  static let longWait = 1.0
  /// The maximum number of listed initializers that have waited for long.
  static let mostWaiting = 5

  /// The entries.
  private(set) var items: [WatchItem] = []
  /// The first line of each entry.
  private(set) var starts: [Int] = []
  /// The number of lines of all items.
  private(set) var height = 0
  /// The statuses whose initializers are all listed.
  private(set) var unfolded: Set<Word<InitializerStatus>> = []

  init() {}

  /// Creates the list, the most important entries first.
  ///
  /// `outputLines` is the number of output lines of a failed initializer. `room` is the number of lines to fill, unless the user has folded
  /// or unfolded statuses.
  init(_ situation: Situation, _ model: WatchModel, _ view: WatchView, outputLines: Int, room: Int) {
    let filter = Array(view.filter.utf8)
    var failed: [WatchItem] = []
    var running: [WatchItem] = []
    var retrying: [WatchItem] = []
    var waiting: [WatchItem] = []
    var rest: [Word<InitializerStatus>: [WatchItem]] = [:]
    for (index, each) in situation.status.initializers.enumerated() {
      if !filter.isEmpty, !Self.contains(each.name, filter) { continue }
      var item = WatchItem(name: .initializer(each.name), index: index, label: each.status.phrase)
      switch each.status {
      case .known(.failed):
        item.output = each.run.flatMap { model.outputs[$0] }?.suffix(outputLines) ?? []
        failed.append(item)
      case .known(.running), .known(.stopping):
        // A short run's output would come and go at once.
        if each.pid != nil, let started = each.started, situation.now - started >= Self.longWait {
          let lines = min(outputLines, RunOutput.runningLines)
          item.output = each.run.flatMap { model.outputs[$0] }?.suffix(lines) ?? []
        }
        running.append(item)
      case .known(.waiting) where each.isBetweenAttempts:
        item.label = "retrying"
        retrying.append(item)
      case .known(.waiting):
        if let waited = Self.waited(each, in: situation), waited >= Self.longWait {
          item.waited = waited
          waiting.append(item)
        } else {
          rest[each.status, default: []].append(item)
        }
      default: rest[each.status, default: []].append(item)
      }
    }
    // The initializers that have waited longest come first.
    waiting.sort { ($1.waited ?? 0, $0.index) < ($0.waited ?? 0, $1.index) }
    let others = waiting.dropFirst(Self.mostWaiting).sorted { $0.index < $1.index }
    if !others.isEmpty {
      rest[.known(.waiting)] = (rest[.known(.waiting), default: []] + others).sorted { $0.index < $1.index }
    }
    for item in failed + running + retrying + waiting.prefix(Self.mostWaiting) { add(item) }
    var left = room - height - rest.count
    for status in Self.order(rest.keys) {
      let members = rest[status] ?? []
      var shown = members.count
      if filter.isEmpty {
        if let chosen = view.unfolded {
          shown = chosen.contains(status) ? shown : 0
        } else {
          shown = min(shown, max(0, left))
        }
        add(WatchItem(name: .fold(status), count: members.count, shown: shown, label: status.phrase))
        if shown == members.count { unfolded.insert(status) }
      }
      for item in members.prefix(shown) { add(item) }
      left -= shown
    }
    addProcesses(situation, filter)
  }

  /// Adds the processes that are no initializers, last.
  private mutating func addProcesses(_ situation: Situation, _ filter: [UInt8]) {
    guard let processes = situation.status.processes else { return }
    let initializers = Set(situation.status.initializers.lazy.map(\.name))
    for (index, each) in processes.enumerated() where !initializers.contains(each.name) {
      if !filter.isEmpty, !Self.contains(each.name, filter) { continue }
      add(WatchItem(name: .process(each.name), index: index, label: "process"))
    }
  }

  /// Returns the position of an entry.
  func index(of name: WatchItem.Name) -> Int? { items.firstIndex { $0.name == name } }

  /// The statuses that are folded, in their order.
  var folds: [Word<InitializerStatus>] {
    items.compactMap { if case .fold(let status) = $0.name { status } else { nil } }
  }

  private mutating func add(_ item: WatchItem) {
    items.append(item)
    starts.append(height)
    height += item.height
  }

  private static func order(_ statuses: some Collection<Word<InitializerStatus>>) -> [Word<InitializerStatus>] {
    let known: [InitializerStatus] = [.waiting, .complete, .skipped, .cancelled, .notRun, .idle]
    let unknown = statuses.filter { status in !known.contains { status == $0 } }
    return known.map(Word.known).filter(statuses.contains) + unknown.sorted { $0.rawValue < $1.rawValue }
  }

  /// Returns for how long an initializer has had all that it depends on; nil if a dependency is missing, or its phase hasn't begun.
  private static func waited(_ each: Initializer, in situation: Situation) -> Double? {
    let status = situation.status
    guard situation.openDependencies(of: each).isEmpty, let phase = situation.phase(of: each) else { return nil }
    if phase == .active, status.launch.state != .complete || status.lifecycle != .active { return nil }
    let ends = each.dependencies.compactMap { situation.initializer($0)?.ended }
    // If nothing has run yet, e.g. because no worker has registered, it has waited since launch began.
    let opened = situation.start(of: phase) ?? (phase == .launch ? status.time - status.uptime : nil)
    return opened.map { max(0, situation.now - ends.reduce($0, max)) }
  }

  private static func contains(_ name: String, _ part: [UInt8]) -> Bool {
    let name = Array(name.utf8)
    guard name.count >= part.count else { return false }
    return (0...(name.count - part.count)).contains { name[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
