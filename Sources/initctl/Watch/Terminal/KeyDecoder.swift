// Terms. A terminal sends a *sequence* for a key without a character: ESC `[` or ESC `O`, parameters, and a final byte.
//
// Invariants:
//
// 1. A key may arrive in any number of parts.
// 2. Bytes that are no known key are skipped as a whole: the rest of an unknown sequence never counts as characters.
// 3. A lone ESC is the key Escape only once `flush` says that no byte follows it.

/// Makes keys of the bytes that a terminal sends.
struct KeyDecoder {
  /// The longest sequence; a longer one is no key.
  private static let longestSequence = 32
  private static let escape: UInt8 = 0x1B

  private var pending: [UInt8] = []

  /// Whether the bytes so far end with an incomplete key.
  var isPending: Bool { !pending.isEmpty }

  /// Returns the keys that the next bytes complete.
  mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { if let key = decode(byte) { keys.append(key) } }
    return keys
  }

  /// Ends the input: nothing has followed for a while.
  ///
  /// A lone ESC is Escape.
  mutating func flush() -> [Key] {
    defer { pending = [] }
    return pending == [Self.escape] ? [.escape] : []
  }

  private mutating func decode(_ byte: UInt8) -> Key? {
    guard let first = pending.first else { return begin(byte) }
    return first == Self.escape ? decodeInSequence(byte) : decodeInCharacter(byte)
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    switch byte {
    case Self.escape, 0xC2...0xF4:
      pending = [byte]
      return nil
    case 0x0A, 0x0D: return .enter
    case 0x08, 0x7F: return .backspace
    // ^N and ^P, ^F and ^B, as in pagers.
    case 0x0E: return .down
    case 0x10: return .up
    case 0x06: return .pageDown
    case 0x02: return .pageUp
    case 0x20..<0x7F: return .character(Character(Unicode.Scalar(byte)))
    default: return nil
    }
  }

  private mutating func decodeInSequence(_ byte: UInt8) -> Key? {
    if byte == Self.escape {
      // The escape character before was a key of its own.
      let isLone = pending.count == 1
      pending = [byte]
      return isLone ? .escape : nil
    }
    pending.append(byte)
    guard pending.count > 2 else {
      // ESC and a character is Alt and a key, which has no meaning here.
      if byte != UInt8(ascii: "["), byte != UInt8(ascii: "O") { pending = [] }
      return nil
    }
    // The Linux console sends ESC [ [ A for F1.
    let isWhole = (0x40...0x7E).contains(byte) && !(pending.count == 3 && byte == UInt8(ascii: "["))
    guard isWhole || pending.count > Self.longestSequence else { return nil }
    defer { pending = [] }
    return key(pending.dropFirst(2))
  }

  private func key(_ sequence: ArraySlice<UInt8>) -> Key? {
    switch String(decoding: sequence, as: UTF8.self) {
    case "A": .up
    case "B": .down
    case "H", "1~", "7~": .home
    case "F", "4~", "8~": .end
    case "5~": .pageUp
    case "6~": .pageDown
    case "M": .enter
    default: nil
    }
  }

  private mutating func decodeInCharacter(_ byte: UInt8) -> Key? {
    guard (0x80...0xBF).contains(byte) else {
      pending = []
      return begin(byte)
    }
    pending.append(byte)
    let count = pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
    guard pending.count == count else { return nil }
    defer { pending = [] }
    let text = String(decoding: pending, as: UTF8.self)
    // C1 controls aren't printable.
    guard let scalar = text.unicodeScalars.first, scalar != "\u{FFFD}", scalar.value >= 0xA0 else { return nil }
    return .character(Character(scalar))
  }
}

/// A key that `watch` knows.
enum Key: Equatable {
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
  case enter
  case escape
  case backspace
  /// A printable character.
  case character(Character)
}
