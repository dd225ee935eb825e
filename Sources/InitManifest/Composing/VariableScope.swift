/// The variables that `${NAME}` in a value can mean.
struct VariableScope {
  /// The variables, from the outermost ones; if a name occurs several times, the last one counts.
  private var layers: [[String: String]]

  init(_ variables: [String: String]) { layers = [variables] }

  /// Adds variables that hide those of the same names.
  func adding(_ variables: [String: String]) -> VariableScope {
    var scope = self
    scope.layers.append(variables)
    return scope
  }

  /// Sets a variable in the innermost layer.
  mutating func set(_ name: String, _ value: String) { layers[layers.count - 1][name] = value }

  subscript(name: String) -> String? {
    for layer in layers.reversed() { if let value = layer[name] { return value } }
    return nil
  }

  /// Why a text can't be expanded, and what to do.
  struct Mistake: Error, Equatable {
    let problem: String
    let remedy: String
  }

  /// Returns the text with the values of its variables: `${NAME}`, or `${NAME:-default}` for a variable that may be unset or empty.
  ///
  /// `$${` is the text `${`, and any other `$` is literal. No message contains another part of the text, which may be secret.
  func expand(_ text: String) throws(Mistake) -> String {
    guard Self.mayHaveReference(text) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "$" else {
        result.append(scalar)
        continue
      }
      if rest.starts(with: "${".unicodeScalars) {
        rest.removeFirst(2)
        result.append(contentsOf: "${".unicodeScalars)
      } else if rest.first == "{" {
        rest.removeFirst()
        result.append(contentsOf: try value(ofReference: &rest).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Returns a text that `expand` turns into this one.
  static func escape(_ text: String) -> String {
    guard mayHaveReference(text) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "$", rest.first == "{" { result.append("$") }
      result.append(scalar)
    }
    return String(result)
  }

  private static func mayHaveReference(_ text: String) -> Bool {
    var previous: UInt8 = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "{"), previous == UInt8(ascii: "$") { return true }
      previous = byte
    }
    return false
  }

  /// Reads a reference after its `${`, and returns its value.
  private func value(ofReference rest: inout Substring.UnicodeScalarView) throws(Mistake) -> String {
    let remedy = "write ${NAME}, ${NAME:-default}, or $${ for the text ${"
    let name = String(rest.prefix { Self.isInName($0) })
    rest.removeFirst(name.unicodeScalars.count)
    guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else {
      throw Mistake(problem: "no name of a variable follows ${", remedy: remedy)
    }
    var usual: String?
    if rest.starts(with: ":-".unicodeScalars) {
      rest.removeFirst(2)
      let text = rest.prefix { $0 != "}" }
      rest = rest[text.endIndex...]
      guard !Self.mayHaveReference(String(text)) else {
        throw Mistake(problem: "the default of ${\(name)} has a variable itself", remedy: "write a default without ${")
      }
      usual = String(text)
    }
    guard rest.popFirst() == "}" else {
      throw Mistake(problem: "no } follows ${\(name)", remedy: remedy)
    }
    let value = self[name]
    if let usual { return value.map { $0.isEmpty ? usual : $0 } ?? usual }
    guard let value else {
      throw Mistake(
        problem: "the variable \(quoted(name)) is not set",
        remedy: "set it in the environment of initd, or write a default: ${\(name):-default}")
    }
    return value
  }

  private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "_": true
    default: false
    }
  }
}
