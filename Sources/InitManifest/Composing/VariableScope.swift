internal import InitDeclarations

/// The variables that `${NAME}` in a value can mean.
///
/// Expanded texts are those of declarations: references to outputs and ports stay in them (S35).
struct VariableScope {
  /// The variables of the caller, as they are.
  private let inherited: [String: String]
  /// Expanded variables, from the outermost ones; if a name occurs several times, the last one counts.
  private var layers: [[String: String]] = [[:]]

  init(_ variables: [String: String]) { inherited = variables }

  /// Adds expanded variables that hide those of the same names.
  func adding(_ variables: [String: String]) -> VariableScope {
    var scope = self
    scope.layers.append(variables)
    return scope
  }

  /// Sets an expanded variable in the innermost layer.
  mutating func set(_ name: String, _ value: String) { layers[layers.count - 1][name] = value }

  /// Returns the parts of a variable's value; `nil` if it isn't set.
  private func parts(of name: String) -> [ValueReference.Part]? {
    for layer in layers.reversed() { if let value = layer[name] { return ValueReference.parts(of: value) } }
    return inherited[name].map { $0.isEmpty ? [] : [.text($0)] }
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
    guard ValueReference.mayBe(in: text) else { return text }
    var parts: [ValueReference.Part] = []
    var literal = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "$" else {
        literal.append(scalar)
        continue
      }
      if rest.starts(with: "${".unicodeScalars) {
        rest.removeFirst(2)
        literal.append(contentsOf: "${".unicodeScalars)
      } else if rest.first == "{" {
        rest.removeFirst()
        for part in try value(ofReference: &rest) {
          if case .text(let text) = part {
            literal.append(contentsOf: text.unicodeScalars)
          } else {
            if !literal.isEmpty { parts.append(.text(String(literal))) }
            literal.removeAll()
            parts.append(part)
          }
        }
      } else {
        literal.append(scalar)
      }
    }
    if !literal.isEmpty { parts.append(.text(String(literal))) }
    return ValueReference.text(parts)
  }

  /// Returns a text that `expand` turns into this one.
  static func escape(_ text: String) -> String {
    guard ValueReference.mayBe(in: text) else { return text }
    return ValueReference.parts(of: text).map { part in
      switch part {
      case .value(let reference): "\(reference)"
      case .text(let text): escape(literal: text)
      }
    }.joined()
  }

  private static func escape(literal text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "$", rest.first == "{" { result.append("$") }
      result.append(scalar)
    }
    return String(result)
  }

  /// Reads a reference after its `${`, and returns the parts of its value.
  private func value(
    ofReference rest: inout Substring.UnicodeScalarView
  ) throws(Mistake) -> [ValueReference.Part] {
    let remedy = "write ${NAME}, ${NAME:-default}, or $${ for the text ${"
    if let reference = try Self.valueReference(&rest) { return [.value(reference)] }
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
      guard !ValueReference.mayBe(in: String(text)) else {
        throw Mistake(problem: "the default of ${\(name)} has a variable itself", remedy: "write a default without ${")
      }
      usual = String(text)
    }
    guard rest.popFirst() == "}" else {
      guard rest.contains("}") else { throw Mistake(problem: "no } follows ${\(name)", remedy: remedy) }
      throw Mistake(problem: "${\(name)…} is a form that isn't supported", remedy: remedy)
    }
    let value = parts(of: name)
    if let usual { return value.map { $0.isEmpty ? [.text(usual)] : $0 } ?? [.text(usual)] }
    guard let value else {
      throw Mistake(
        problem: "the variable \(quoted(name)) is not set",
        remedy: "set it in the environment of initd, or write a default: ${\(name):-default}")
    }
    return value
  }

  /// Reads a reference to an output or a port after its `${`; returns `nil` if it is one to a variable.
  private static func valueReference(_ rest: inout Substring.UnicodeScalarView) throws(Mistake) -> ValueReference? {
    guard let word = ["outputs.", "ports."].first(where: { rest.starts(with: $0.unicodeScalars) }) else { return nil }
    let text = rest.prefix { $0 != "}" }
    guard text.endIndex < rest.endIndex, let reference = ValueReference(String(text)) else {
      throw Mistake(
        problem: "${\(word) isn't followed by a name and }",
        remedy: word == "ports."
          ? "write ${ports.NAME}, or $${ for the text ${"
          : "write ${outputs.NAME}, ${outputs.NAME#/KEY} for a part of it, or $${ for the text ${")
    }
    rest = rest[text.endIndex...].dropFirst()
    return reference
  }

  private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "_": true
    default: false
    }
  }
}
