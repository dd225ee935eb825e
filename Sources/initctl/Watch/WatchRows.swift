internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire

/// The lines of some entries of `watch`, in columns: name, status, time, detail.
struct WatchRows {
  private let situation: Situation
  private var widths = (name: 0, label: 0, time: 0)

  /// `items` are the shown entries, which determine the widths.
  init(_ items: ArraySlice<WatchItem>, _ situation: Situation, columns: Int) {
    self.situation = situation
    for item in items {
      let name: String
      switch item.name {
      case .initializer(let own), .process(let own): name = own
      case .fold: continue
      }
      widths.name = max(widths.name, TextWidth.columns(TerminalText.escape(name)))
      widths.label = max(widths.label, TextWidth.columns(item.label))
      widths.time = max(widths.time, TextWidth.columns(time(item)))
    }
    widths.name = min(widths.name, max(12, columns / 3))
  }

  /// Returns the lines of an entry: its own line, then its output.
  func lines(of item: WatchItem) -> [ScreenLine] {
    var line = ScreenLine("  ")
    switch item.name {
    case .fold(let status):
      let part = item.shown > 0 && item.shown < item.count ? ", \(item.shown) shown" : ""
      line.add("\(item.count) \(item.label)\(part)", status.known?.color)
      return [line]
    case .process(let name):
      guard let each = situation.status.processes?[item.index] else { return [line] }
      let status = situation.status
      line.add(TextWidth.pad(TextWidth.clip(TerminalText.escape(name), to: widths.name), to: widths.name) + "  ")
      let hasTrouble = each.trouble(at: situation.now, of: status.time) != nil
      line.add(TextWidth.pad(item.label, to: widths.label), hasTrouble ? .red : each.pid == nil ? .gray : .green)
      line.add("  " + TerminalText.escape(each.condition(at: situation.now, of: status.time)))
      return [line]
    case .initializer(let name):
      let each = situation.status.initializers[item.index]
      let shown = TerminalText.escape(name)
      line.add(TextWidth.pad(TextWidth.clip(shown, to: widths.name), to: widths.name) + "  ")
      line.add(TextWidth.pad(item.label, to: widths.label), item.label == "retrying" ? .yellow : each.color)
      let time = time(item)
      let detail = detail(each)
      if !detail.isEmpty {
        line.add("  \(TextWidth.pad(time, to: widths.time))  \(detail)")
      } else if !time.isEmpty {
        line.add("  " + time)
      }
      return [line] + item.output.map { ScreenLine("  │ " + TerminalText.output($0), .gray) }
    }
  }

  private func time(_ item: WatchItem) -> String {
    if case .process = item.name { return "" }
    let elapsed = item.waited ?? situation.status.initializers[item.index].elapsed(at: situation.now)
    return elapsed.map(Phrases.duration) ?? ""
  }

  private func detail(_ each: Initializer) -> String {
    let detail = TerminalText.escape(situation.detail(each))
    guard each.isInFlight, let usual = situation.usual(each) else { return detail }
    return "usually \(Phrases.duration(usual))" + (detail.isEmpty ? "" : ", " + detail)
  }
}
