import WebStatus

/// The initializers of a phase, each with a bar: when it ran in the newest pass.
struct InitializerRows {
  private let rows: [StatusDocument.Item]
  private let attempts: [String: [Overview.Attempt]]
  private let details: [String: String]?
  private let output: [String: [String]]
  /// The newest pass.
  private let pass: Int?
  /// When the first run of that pass started, in seconds since the Unix epoch.
  let opened: Double?

  /// Describes the rows.
  ///
  /// `attempts` are those before the last one, by the initializer's name. `details` are what `initctl status` shows beside a name; nil if
  /// that isn't known. `output` are the last lines of what failed.
  init(
    _ initializers: [StatusDocument.Item], attempts: [String: [Overview.Attempt]] = [:],
    details: [String: String]? = nil, output: [String: [String]] = [:]
  ) {
    self.attempts = attempts
    self.details = details
    self.output = output
    let pass = initializers.compactMap(\.pass).max()
    self.pass = pass
    let started = { (each: StatusDocument.Item) -> Double? in
      guard each.pass == pass, let own = each.started else { return nil }
      return min(own, attempts[each.name]?.map(\.started).min() ?? own)
    }
    opened = initializers.compactMap(started).min()
    // The initializers that have started come first, in the order of their starts; the others keep the manifest's order.
    rows = initializers.enumerated().sorted {
      (started($0.element) ?? .infinity, $0.offset) < (started($1.element) ?? .infinity, $1.offset)
    }.map(\.element)
  }

  func html(now: Double) -> [HTML] {
    let end = rows.filter { $0.pass == pass }.compactMap { each in
      each.started.map { $0 + (each.duration ?? max(0, now - $0)) }
    }.max()
    let total = max(0.001, (end ?? now) - (opened ?? now))
    return rows.map { row($0, total: total, now: now) }
  }

  private func row(_ each: StatusDocument.Item, total: Double, now: Double) -> HTML {
    let optional: HTML = each.optional ? " <span class=\"note\">optional</span>" : ""
    let bar = each.pass == pass ? bar(each, total: total, now: now) : ""
    return """
      <li id="i-\(each.name)" data-kind="\(each.status)">\
      <span class="name"><a href="/initializer?name=\(HTML(stringLiteral: Query.encode(each.name)))">\(each.name)</a>\(optional)</span>\
      \(StartPage.badge(each.status))<span class="time">\(time(each, now: now))</span>\
      <svg class="bar" data-opened="\(opened?.attribute ?? "")" viewBox="0 0 \(total.attribute) 10" preserveAspectRatio="none" \
      aria-hidden="true" focusable="false">\(bar)</svg>\
      <span class="note detail">\(details?[each.name] ?? ownDetail(each))</span>\
      \(StartPage.output(output[each.name] ?? [], of: each.name))</li>

      """
  }

  /// How long it has run: from its first attempt to its end, or until now.
  private func time(_ each: StatusDocument.Item, now: Double) -> HTML {
    guard let own = each.started, !["idle", "notRun", "skipped"].contains(each.status) else { return "" }
    let first = each.pass == pass ? attempts[each.name]?.first?.started ?? own : own
    guard let duration = each.duration else {
      return "<span data-runs=\"\(first.attribute)\">\(max(0, now - first).words)</span>"
    }
    return "\((own + duration - first).words)"
  }

  /// Its attempts, and the share of the work that is done.
  private func bar(_ each: StatusDocument.Item, total: Double, now: Double) -> HTML {
    guard let opened, let started = each.started else { return "" }
    let least = total / 400
    func box(_ kind: String, _ start: Double, _ duration: Double, _ more: HTML = "") -> HTML {
      """
      <rect class="\(kind)" x="\((start - opened).attribute)" width="\(max(duration, least).attribute)" height="10"\(more)/>
      """
    }
    var boxes = (attempts[each.name] ?? []).map { box("attempt", $0.started, $0.duration) }
    if let duration = each.duration {
      // Between two attempts, the last one has failed.
      boxes.append(box(each.status == "waiting" ? "attempt" : "run", started, duration))
    } else {
      let duration = max(0, now - started)
      let share = each.fraction.map { min(max($0, 0), 1) }
      boxes.append(
        box(
          share == nil ? "run" : "run rest", started, duration,
          " data-started=\"\(started.attribute)\" data-share=\"1\""))
      if let share {
        boxes.append(
          box(
            "run", started, duration * share, " data-started=\"\(started.attribute)\" data-share=\"\(share.attribute)\""
          ))
      }
    }
    return HTML(boxes, separator: "")
  }

  /// Returns what its own status says, without what explains it.
  private func ownDetail(_ each: StatusDocument.Item) -> String {
    if let error = each.error { return error }
    if let name = each.blockedBy {
      return each.status == "cancelled"
        ? "stopped because \(name) failed first" : "not run because \(name) failed first"
    }
    let isInFlight = each.status == "running" || each.status == "stopping"
    let parts = [
      each.attempt.map { $0 > 1 ? "attempt \($0)" : nil } ?? nil,
      isInFlight ? each.fraction.map { "\(Int((min(max($0, 0), 1) * 100).rounded(.down)))%" } : nil,
      isInFlight ? each.message : nil, each.available ? nil : "no worker provides it",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// Values in the query of an address.
enum Query {
  /// Returns a value as it must be in a query.
  static func encode(_ value: String) -> String {
    var encoded = ""
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return encoded
  }
}
