internal import InitCore
internal import InitWords

/// A value that is known only when a program starts, in a text of a declaration (S35, S36).
///
/// `${outputs.NAME}` is the output of an initializer, `${outputs.NAME#/a/0}` a part of it by JSON Pointer, and `${ports.NAME}` a port. Of
/// the dollar signs before one of these, two stand for one: `$${ports.web}` is the text `${ports.web}`.
package enum ValueReference: Hashable, Sendable {
  /// The output of the initializer with this name, or the part of it at this pointer; an empty pointer means the whole output.
  case output(String, pointer: String)
  /// The port with this name.
  case port(String)

  /// A part of a text.
  package enum Part: Hashable, Sendable {
    /// Text as it is.
    case text(String)
    /// A value.
    case value(ValueReference)
  }

  /// Creates a reference from the text between `${` and `}`; `nil` if that isn't one.
  package init?(_ text: some StringProtocol) {
    let name: Substring
    switch text {
    case _ where text.hasPrefix("outputs."):
      let rest = Substring(text.dropFirst(8))
      let end = rest.firstIndex(of: "#") ?? rest.endIndex
      name = rest[..<end]
      let pointer = String(rest[end...].dropFirst())
      guard end == rest.endIndex || Self.isPointer(pointer) else { return nil }
      self = .output(String(name), pointer: pointer)
    case _ where text.hasPrefix("ports."):
      name = Substring(text.dropFirst(6))
      self = .port(String(name))
    default: return nil
    }
    guard InitializerName.isValid(String(name)) else { return nil }
  }

  /// The initializer whose output it is; `nil` for a port.
  package var initializer: String? { if case .output(let name, _) = self { name } else { nil } }

  /// Returns whether a text is a JSON Pointer to a part: each step begins with `/`, and `~` only stands before 0 or 1.
  private static func isPointer(_ text: String) -> Bool {
    text.hasPrefix("/") && !mayBe(in: text)
      && text.split(separator: "~", omittingEmptySubsequences: false).dropFirst().allSatisfy {
        $0.hasPrefix("0") || $0.hasPrefix("1")
      }
  }

  /// Returns the parts of a text.
  package static func parts(of text: String) -> [Part] {
    let bytes = Array(text.utf8)
    var parts: [Part] = []
    var literal: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let end = endOfDollars(in: bytes, from: index)
      guard end > index else {
        literal.append(bytes[index])
        index += 1
        continue
      }
      let dollars = end - index
      index = end
      guard let (reference, next) = reference(in: bytes, from: end) else {
        literal += [UInt8](repeating: dollar, count: dollars)
        continue
      }
      literal += [UInt8](repeating: dollar, count: dollars / 2)
      guard !dollars.isMultiple(of: 2) else { continue }
      if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
      literal = []
      parts.append(.value(reference))
      index = next
    }
    if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
    return parts
  }

  /// Returns the text that has these parts.
  package static func text(_ parts: [Part]) -> String {
    var result = ""
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let text):
        result += escaped(text)
        if index + 1 < parts.count {
          result += String(repeating: "$", count: text.utf8.reversed().prefix { $0 == dollar }.count)
        }
      case .value(let reference): result += "\(reference)"
      }
    }
    return result
  }

  /// Returns the references in a text.
  package static func all(in text: String) -> [ValueReference] {
    guard mayBe(in: text) else { return [] }
    return parts(of: text).compactMap { if case .value(let reference) = $0 { reference } else { nil } }
  }

  /// Returns whether a text has `${`, without which it has neither a reference nor an escaped one.
  package static func mayBe(in text: String) -> Bool {
    // Each text of a command is searched when the command starts. Nearly all texts are stored in one piece.
    text.utf8.withContiguousStorageIfAvailable(mayBe) ?? mayBe(in: text.utf8)
  }

  private static func mayBe(in bytes: some Sequence<UInt8>) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == UInt8(ascii: "{"), previous == dollar { return true }
      previous = byte
    }
    return false
  }

  /// Returns the text that stands for this literal text.
  private static func escaped(_ text: String) -> String {
    guard mayBe(in: text) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let end = endOfDollars(in: bytes, from: index)
      guard end > index else {
        result.append(bytes[index])
        index += 1
        continue
      }
      let isReference = reference(in: bytes, from: end) != nil
      result += [UInt8](repeating: dollar, count: (end - index) * (isReference ? 2 : 1))
      index = end
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let dollar = UInt8(ascii: "$")

  private static func endOfDollars(in bytes: [UInt8], from start: Int) -> Int {
    bytes[start...].firstIndex { $0 != dollar } ?? bytes.count
  }

  /// Returns the reference whose brace is at this index, and the index after it.
  private static func reference(in bytes: [UInt8], from start: Int) -> (ValueReference, next: Int)? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "{"),
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "}")),
      let reference = ValueReference(String(decoding: bytes[start + 1..<end], as: UTF8.self))
    else { return nil }
    return (reference, end + 1)
  }
}

extension ValueReference: CustomStringConvertible {
  /// The reference as it is written.
  package var description: String {
    switch self {
    case .output(let name, ""): "${outputs.\(name)}"
    case .output(let name, let pointer): "${outputs.\(name)#\(pointer)}"
    case .port(let name): "${ports.\(name)}"
    }
  }
}

extension DeclaredWorker {
  /// The references in its texts, and in those of its readiness.
  package var references: [ValueReference] {
    var references = command.references
    if case .probe(let probe, _)? = policy.ready { references += probe.references }
    if case .probe(let probe, _)? = policy.healthy?.check { references += probe.references }
    return references
  }
}

extension Probe {
  /// The references in its target.
  package var references: [ValueReference] { ValueReference.all(in: "\(target)") }
}

extension Command {
  /// Whether its texts may have references; most have none.
  package var mayRefer: Bool {
    arguments.contains(where: ValueReference.mayBe) || environment.values.contains(where: ValueReference.mayBe)
      || stop?.contains(where: ValueReference.mayBe) == true || directory.map(ValueReference.mayBe) == true
  }

  /// The references in its texts.
  package var references: [ValueReference] {
    guard mayRefer else { return [] }
    let texts = [arguments, stop ?? [], Array(environment.values), [directory].compactMap(\.self)]
    return texts.joined().flatMap { ValueReference.all(in: $0) }
  }
}
