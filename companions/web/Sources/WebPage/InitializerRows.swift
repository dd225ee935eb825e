import WebStatus

/// The initializers of a phase, each with a bar: when it ran in the newest pass.
struct InitializerRows {
  private let rows: [StatusDocument.Item]
  /// The newest pass.
  private let pass: Int?
  /// When the first run of that pass started, in seconds since the Unix epoch.
  let opened: Double?

  init(_ initializers: [StatusDocument.Item]) {
    let pass = initializers.compactMap(\.pass).max()
    self.pass = pass
    opened = initializers.filter { $0.pass == pass }.compactMap(\.started).min()
    // The initializers that have started come first, in the order of their starts; the others keep the manifest's order.
    let started = { (each: StatusDocument.Item) in each.pass == pass ? each.started ?? .infinity : .infinity }
    rows = initializers.enumerated().sorted {
      (started($0.element), $0.offset) < (started($1.element), $1.offset)
    }.map(\.element)
  }

  func html(now: Double) -> [HTML] {
    let end = rows.compactMap { each in started(each).map { $0 + (each.duration ?? max(0, now - $0)) } }.max() ?? now
    let total = max(0.001, end - (opened ?? end))
    return rows.map { row($0, total: total, now: now) }
  }

  /// When the initializer started in the newest pass.
  private func started(_ each: StatusDocument.Item) -> Double? { each.pass == pass ? each.started : nil }

  private func row(_ each: StatusDocument.Item, total: Double, now: Double) -> HTML {
    let started = started(each)
    let duration = started.map { each.duration ?? max(0, now - $0) }
    let note = each.error ?? each.message ?? (each.available ? "" : "no worker provides it")
    let bar: HTML
    if let started, let duration, let opened {
      bar =
        "<rect x=\"\((started - opened).attribute)\" width=\"\(max(duration, total / 400).attribute)\" height=\"10\"/>"
    } else {
      bar = ""
    }
    let optional: HTML = each.optional ? " <span class=\"note\">optional</span>" : ""
    let again: HTML = each.attempt.map { $0 > 1 ? " <span class=\"note\">attempt \($0)</span>" : "" } ?? ""
    return """
      <li id="i-\(each.name)" data-kind="\(each.status)" data-started="\(started?.attribute ?? "")" \
      data-duration="\(started == nil ? "" : each.duration?.attribute ?? "")">\
      <span class="name"><a href="/initializer?name=\(HTML(stringLiteral: Query.encode(each.name)))">\(each.name)</a>\(optional)</span>\
      \(StartPage.badge(each.status))<span class="time">\(duration?.words ?? "")</span>\
      <svg class="bar" viewBox="0 0 \(total.attribute) 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">\(bar)</svg>\
      <span class="note detail">\(note)\(again)</span></li>

      """
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
