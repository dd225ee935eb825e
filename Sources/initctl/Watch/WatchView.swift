internal import InitModel
internal import InitText
internal import InitWire
internal import InitWords

/// The part of the screen that the user of `watch` has chosen with the keys.
struct WatchView {
  /// The shown screen.
  enum Mode: Equatable {
    case list
    /// The list, while a filter is typed.
    case filtering
    /// One initializer: why it has its status, and its log.
    case one(String)
    /// What each key does.
    case keys
  }

  /// The screen.
  private(set) var mode = Mode.list
  /// The screen before that of the keys.
  private var modeBefore = Mode.list
  /// The part of a name that each listed initializer has.
  private(set) var filter = ""
  /// The statuses whose initializers the user wants to see; nil for as many as fit.
  private(set) var unfolded: Set<Word<InitializerStatus>>?
  /// The position of the selected entry.
  private(set) var index = 0
  /// The first line of the list that is shown.
  private(set) var top = 0
  /// How many lines the log is scrolled back.
  private(set) var back = 0
  /// What a key would do with a process; it is asked whether to do it.
  private(set) var asked: ProcessAction?
  /// What is to be done with a process.
  private var confirmed: ProcessAction?
  /// What happened after the last question.
  var message: ProcessAction.Message?
  /// Whether the user has ended it.
  private(set) var isOver = false

  /// The values that determine which entries are listed.
  var listing: [String] { [filter, "\(mode)", "\(unfolded == nil)"] + (unfolded ?? []).map(\.rawValue).sorted() }

  /// The selected entry; nil as long as no key has selected one: then the first entry is selected.
  private var selected: WatchItem.Name?

  /// Takes a key.
  ///
  /// `list` is the list as it was drawn. `page` says how many lines were drawn. `status` is what the list shows.
  mutating func press(_ key: Key, _ list: WatchList, page: Int, _ status: Status) {
    message = nil
    if mode == .keys {
      mode = modeBefore
      return
    }
    if let asked {
      self.asked = nil
      if key == .character("y") { confirmed = asked }
      return
    }
    if mode != .filtering, key == .character("?") {
      modeBefore = mode
      mode = .keys
      return
    }
    if mode != .filtering, case .character(let character) = key, ProcessAction.keys.contains(character) {
      return ask(character, list, status)
    }
    switch mode {
    case .list: pressInList(key, list, page)
    case .filtering: pressInFilter(key, list, page)
    case .one: pressInLog(key, page)
    case .keys: break
    }
  }

  /// Returns what is to be done with a process, once.
  mutating func takeAction() -> ProcessAction? {
    defer { confirmed = nil }
    return confirmed
  }

  private mutating func ask(_ key: Character, _ list: WatchList, _ status: Status) {
    guard let name = name(in: list) else { return }
    guard let process = status.processes?.first(where: { $0.name == name }) else {
      message = ProcessAction.Message(
        text: "\(TerminalText.escape(name)) isn't a process: s, r and x stop, restart and hand over processes",
        isError: true)
      return
    }
    asked = ProcessAction(key, process)
  }

  /// The initializer or process that is shown alone or selected.
  private func name(in list: WatchList) -> String? {
    if case .one(let name) = mode { return name }
    guard list.items.indices.contains(index) else { return nil }
    switch list.items[index].name {
    case .initializer(let name), .process(let name): return name
    case .fold: return nil
    }
  }

  /// Finds the selected entry in a new list, and scrolls to it.
  ///
  /// `page` is the number of drawn lines.
  mutating func settle(in list: WatchList, page: Int) {
    if let selected, let found = list.index(of: selected) {
      index = found
    } else {
      index = selected == nil ? 0 : max(0, min(index, list.items.count - 1))
    }
    guard list.items.indices.contains(index) else {
      top = 0
      return
    }
    let start = list.starts[index]
    let end = list.starts[index] + list.items[index].height
    if end > top + page { top = end - page }
    top = max(0, min(top, list.height - page, start))
  }

  /// Returns whether the key `f` folds the statuses of a list, or unfolds them.
  func folds(_ list: WatchList) -> Bool {
    unfolded.map { !$0.isEmpty } ?? list.folds.allSatisfy(list.unfolded.contains)
  }

  /// Keeps the log from being scrolled beyond its first line.
  mutating func settle(logLines: Int, page: Int) { back = max(0, min(back, logLines - page)) }

  private mutating func pressInList(_ key: Key, _ list: WatchList, _ page: Int) {
    switch key {
    case .enter: open(list)
    case .escape: filter = ""
    case .character("q"): isOver = true
    case .character("/"): mode = .filtering
    case .character("f"): unfolded = folds(list) ? [] : Set(list.folds)
    default: move(key, list, page)
    }
  }

  private mutating func pressInFilter(_ key: Key, _ list: WatchList, _ page: Int) {
    switch key {
    case .enter: mode = .list
    case .escape:
      mode = .list
      filter = ""
    case .backspace: if filter.isEmpty { mode = .list } else { filter.removeLast() }
    case .character(let character):
      // No name is longer.
      if filter.utf8.count < InitializerName.longest { filter.append(character) }
    case .up, .down, .pageUp, .pageDown, .home, .end: move(key, list, page)
    }
  }

  private mutating func pressInLog(_ key: Key, _ page: Int) {
    switch key {
    case .escape, .character("q"):
      mode = .list
      back = 0
    case .up, .character("k"): back += 1
    case .down, .character("j"): back = max(0, back - 1)
    case .pageUp: back += page
    case .pageDown, .character(" "): back = max(0, back - page)
    case .home, .character("g"): back = .max / 2
    case .end, .character("G"): back = 0
    case .enter, .backspace, .character: break
    }
  }

  private mutating func open(_ list: WatchList) {
    guard list.items.indices.contains(index) else { return }
    switch list.items[index].name {
    case .initializer(let name), .process(let name):
      mode = .one(name)
      back = 0
      selected = list.items[index].name
    case .fold(let status):
      selected = .fold(status)
      unfolded = (unfolded ?? list.unfolded).symmetricDifference([status])
    }
  }

  private mutating func move(_ key: Key, _ list: WatchList, _ page: Int) {
    guard !list.items.isEmpty else { return }
    let last = list.items.count - 1
    let target: Int
    switch key {
    case .up, .character("k"): target = index - 1
    case .down, .character("j"): target = index + 1
    case .pageUp: target = entry(at: list.starts[min(index, last)] - page, list)
    case .pageDown, .character(" "): target = max(index + 1, entry(at: list.starts[min(index, last)] + page, list))
    case .home, .character("g"): target = 0
    case .end, .character("G"): target = last
    case .enter, .escape, .backspace, .character: return
    }
    index = max(0, min(target, last))
    selected = list.items[index].name
  }

  private func entry(at line: Int, _ list: WatchList) -> Int {
    (list.starts.firstIndex { $0 > line } ?? list.starts.count) - 1
  }
}
