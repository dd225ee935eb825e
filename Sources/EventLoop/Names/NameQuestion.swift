internal import Platform

/// A question to a name server about the addresses of a name, and how its answer is read (RFC 1035): a value.
struct NameQuestion: Equatable {
  /// The kind of the addresses.
  enum Kind: UInt16, CaseIterable {
    case ipv4 = 1
    case ipv6 = 28

    fileprivate var byteCount: Int { self == .ipv4 ? 4 : 16 }
  }

  /// An answer.
  enum Answer: Equatable {
    /// The addresses of the name; the list may be empty.
    case addresses([IPAddress])
    /// The name doesn't exist.
    case unknown
    /// The server can't or won't answer: its response code.
    case refused(code: UInt8)
  }

  /// The number by which the answer is recognized.
  let id: UInt16
  let name: String
  let kind: Kind

  private static let headerBytes = 12
  /// How many records of an answer are read.
  private static let mostRecords = 64

  /// The question as a message; nil if the name is no valid one.
  var message: [UInt8]? {
    guard let question else { return nil }
    // Two values of the header: recursion is desired, and there is one question.
    return [UInt8(id >> 8), UInt8(id & 0xFF), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + question
  }

  private var question: [UInt8]? {
    var bytes: [UInt8] = []
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard (1...63).contains(label.utf8.count) else { return nil }
      bytes.append(UInt8(label.utf8.count))
      bytes += label.utf8
    }
    guard bytes.count < 255 else { return nil }
    return bytes + [0, 0, UInt8(kind.rawValue), 0, 1]
  }

  /// Reads a message; nil if it isn't the answer to this question.
  ///
  /// Every address of this kind in the answer counts: the server has followed the aliases.
  func answer(in message: [UInt8]) -> Answer? {
    guard let question, message.count >= Self.headerBytes + question.count, number(message, 0) == id,
      message[2] & 0x80 != 0, number(message, 4) == 1,
      zip(message[Self.headerBytes...], question).allSatisfy({ Self.lowered($0) == Self.lowered($1) })
    else { return nil }
    switch message[3] & 0x0F {
    case 0: break
    case 3: return .unknown
    case let code: return .refused(code: code)
    }
    var found: [IPAddress] = []
    var place = Self.headerBytes + question.count
    for _ in 0..<min(Int(number(message, 6)), Self.mostRecords) {
      guard let end = skipName(message, place), end + 10 <= message.count else { break }
      let length = Int(number(message, end + 8))
      place = end + 10 + length
      guard place <= message.count else { break }
      guard number(message, end) == kind.rawValue, number(message, end + 2) == 1, length == kind.byteCount,
        let address = IPAddress(message[(place - length)..<place]), !found.contains(address)
      else { continue }
      found.append(address)
    }
    return .addresses(found)
  }

  /// Returns the position after a name: its labels up to an empty one, or up to a pointer to the rest.
  private func skipName(_ message: [UInt8], _ start: Int) -> Int? {
    var place = start
    while place < message.count {
      switch message[place] {
      case 0: return place + 1
      case 1...63: place += 1 + Int(message[place])
      case 0xC0...0xFF: return place + 2
      default: return nil
      }
    }
    return nil
  }

  private func number(_ message: [UInt8], _ place: Int) -> UInt16 {
    UInt16(message[place]) << 8 | UInt16(message[place + 1])
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
