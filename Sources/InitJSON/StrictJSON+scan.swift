extension StrictJSON {
  /// The scanner: one pass over the bytes without recursion.
  ///
  /// A stack of bits has the open braces and brackets.
  struct Scanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let end: Int
    private var at = 0

    /// One bit for each open brace or bracket, the innermost lowest: set for a brace.
    private var braces: UInt64 = 0
    private var depth = 0
    private var keys = OpenKeys()

    private var nodes: [JSONTree.Node] = []
    /// The node of the innermost open object or array.
    ///
    /// While it is open, its `next` is the node around it.
    private var innermost = 0
    /// The key of the value that comes next; empty for an element.
    private var key = JSONTree.Key.none

    /// Scans one value, and returns its nodes; whitespace around it is allowed.
    ///
    /// Throws the first fault.
    static func scan(_ text: [UInt8], asObject: Bool) throws(Fault) -> [JSONTree.Node] {
      try text.withUnsafeBufferPointer { bytes throws(Fault) in
        var scanner = Scanner(bytes)
        scanner.nodes.reserveCapacity(min(bytes.count / 12, 1 << 16) + 4)
        try scanner.scan(asObject: asObject)
        return scanner.nodes
      }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
      precondition(bytes.count <= UInt32.max, "a text of more than 4 GiB")
      self.bytes = bytes
      end = bytes.count
    }

    private mutating func scan(asObject: Bool) throws(Fault) {
      if asObject {
        let first = try next()
        if first == 0xEF { throw fault(.byteOrderMark) }
        guard first == UInt8(ascii: "{") else { throw fault(.notAnObject) }
      }
      repeat {
        if try value(try next()) {
          // The first key or element comes next, or the end.
          let first = try next()
          if first == closing {
            close()
          } else {
            if isInObject { try readKey(first) }
            continue
          }
        }
        while depth > 0 {
          let byte = try next()
          if byte == closing {
            close()
            continue
          }
          guard byte == UInt8(ascii: ",") else { throw fault(.expectedSeparator) }
          try goOn()
          break
        }
      } while depth > 0
      skipWhitespace()
      guard at == end else { throw fault(.trailingBytes) }
    }

    // MARK: Structure

    /// Reads the next byte that isn't whitespace.
    @inline(__always)
    private mutating func next() throws(Fault) -> UInt8 {
      skipWhitespace()
      guard at < end else { throw fault(.unexpectedEnd) }
      return bytes[at]
    }

    /// Goes behind a comma, to the next value.
    private mutating func goOn() throws(Fault) {
      at += 1
      let first = try next()
      guard first != closing else { throw fault(.trailingComma) }
      if isInObject { try readKey(first) }
    }

    private var isInObject: Bool { braces & 1 == 1 }

    /// The brace or bracket that ends the innermost object or array.
    private var closing: UInt8 { isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    /// Scans a value, or the beginning of an object or array; returns whether it is one.
    private mutating func value(_ first: UInt8) throws(Fault) -> Bool {
      let start = at
      switch first {
      case UInt8(ascii: "{"):
        try open(.object)
        return true
      case UInt8(ascii: "["):
        try open(.array)
        return true
      case UInt8(ascii: "\""):
        let isEscaped = try string()
        add(.string, from: start, isEscaped: isEscaped)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        try number()
        add(.number, from: start)
      case UInt8(ascii: "t"):
        try literal("true")
        add(.boolean, from: start)
      case UInt8(ascii: "f"):
        try literal("false")
        add(.boolean, from: start)
      case UInt8(ascii: "n"):
        try literal("null")
        add(.null, from: start)
      default:
        throw fault(.expectedValue)
      }
      return false
    }

    /// Adds a value that contains no values.
    private mutating func add(_ kind: Kind, from start: Int, isEscaped: Bool = false) {
      nodes.append(
        JSONTree.Node(kind: kind, isEscaped: isEscaped, key: key, from: start, to: at, next: nodes.count &+ 1))
      key = .none
    }

    private mutating func open(_ kind: Kind) throws(Fault) {
      guard depth < greatestDepth else { throw fault(.tooDeep) }
      // The end isn't known yet.
      nodes.append(JSONTree.Node(kind: kind, isEscaped: false, key: key, from: at, to: at, next: innermost))
      innermost = nodes.count - 1
      depth += 1
      braces = braces << 1 | (kind == .object ? 1 : 0)
      key = .none
      at += 1
    }

    private mutating func close() {
      if isInObject { keys.close(innermost) }
      braces >>= 1
      depth -= 1
      at += 1
      let outer = nodes[innermost].next
      nodes[innermost].end(at: at, next: nodes.count)
      innermost = outer
      key = .none
    }

    private mutating func readKey(_ byte: UInt8) throws(Fault) {
      guard byte == UInt8(ascii: "\"") else { throw fault(.expectedKey) }
      let quote = at
      let isEscaped = try string()
      key = JSONTree.Key(from: quote + 1, to: at - 1, isEscaped: isEscaped)
      guard keys.insert(key, into: innermost, of: nodes, bytes) else {
        throw Fault(offset: quote, reason: .duplicateKey)
      }
      guard try next() == UInt8(ascii: ":") else { throw fault(.expectedColon) }
      at += 1
    }

    // MARK: Literals and numbers

    private mutating func skipWhitespace() {
      while at < end, bytes[at] <= 0x20 {
        switch bytes[at] {
        case 0x20, 0x09, 0x0A, 0x0D: at += 1
        default: return
        }
      }
    }

    private mutating func literal(_ word: StaticString) throws(Fault) {
      for index in 0..<word.utf8CodeUnitCount {
        guard at < end else { throw fault(.unexpectedEnd) }
        guard bytes[at] == word.utf8Start[index] else { throw fault(.invalidLiteral) }
        at += 1
      }
    }

    private mutating func number() throws(Fault) {
      if bytes[at] == UInt8(ascii: "-") { at += 1 }
      if at < end, bytes[at] == UInt8(ascii: "0") {
        at += 1
        if at < end, isDigit(bytes[at]) { throw fault(.invalidNumber) }
      } else {
        try digits()
      }
      if at < end, bytes[at] == UInt8(ascii: ".") {
        at += 1
        try digits()
      }
      if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
        at += 1
        if at < end, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
        try digits()
      }
    }

    private mutating func digits() throws(Fault) {
      guard at < end else { throw fault(.unexpectedEnd) }
      guard isDigit(bytes[at]) else { throw fault(.invalidNumber) }
      while at < end, isDigit(bytes[at]) { at += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Scans a string including its quotes; returns whether it has escapes.
    @inline(__always)
    private mutating func string() throws(Fault) -> Bool {
      at += 1
      skipPlainBytes()
      guard at < end, bytes[at] == UInt8(ascii: "\"") else { return try restOfString() }
      at += 1
      return false
    }

    private mutating func restOfString() throws(Fault) -> Bool {
      var isEscaped = false
      while at < end {
        skipPlainBytes()
        guard at < end else { break }
        let byte = bytes[at]
        switch byte {
        case UInt8(ascii: "\""):
          at += 1
          return isEscaped
        case UInt8(ascii: "\\"):
          isEscaped = true
          try escape()
        case 0..<0x20:
          throw fault(.controlCharacter)
        case 0x20..<0x80:
          at += 1
        default:
          try multibyteScalar(first: byte)
        }
      }
      throw fault(.unexpectedEnd)
    }

    /// Skips printable ASCII bytes other than quotes and backslashes, eight at a time.
    private mutating func skipPlainBytes() {
      while at + 8 <= end {
        let word = UInt64(
          littleEndian: UnsafeRawPointer(bytes.baseAddress! + at).loadUnaligned(as: UInt64.self))
        let special = escaped(in: word) | word & highestBits
        guard special == 0 else {
          at += special.trailingZeroBitCount / 8
          return
        }
        at += 8
      }
    }

    private mutating func escape() throws(Fault) {
      let start = at
      at += 1
      guard at < end else { throw fault(.unexpectedEnd) }
      switch bytes[at] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
        UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        at += 1
      case UInt8(ascii: "u"):
        at += 1
        let unit = try hexUnit()
        switch unit {
        case 0xD800...0xDBFF:
          guard at + 1 < end else { throw fault(at < end ? .unpairedSurrogate : .unexpectedEnd) }
          guard bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
            throw Fault(offset: start, reason: .unpairedSurrogate)
          }
          at += 2
          guard 0xDC00...0xDFFF ~= (try hexUnit()) else { throw Fault(offset: start, reason: .unpairedSurrogate) }
        case 0xDC00...0xDFFF:
          throw Fault(offset: start, reason: .unpairedSurrogate)
        default:
          break
        }
      default:
        throw Fault(offset: start, reason: .invalidEscape)
      }
    }

    private mutating func hexUnit() throws(Fault) -> UInt16 {
      var unit: UInt16 = 0
      for _ in 0..<4 {
        guard at < end else { throw fault(.unexpectedEnd) }
        guard let digit = hexDigit(bytes[at]) else { throw fault(.invalidEscape) }
        unit = unit << 4 | UInt16(digit)
        at += 1
      }
      return unit
    }

    /// Scans one scalar of two to four bytes, by table 3-7 of the Unicode Standard.
    private mutating func multibyteScalar(first: UInt8) throws(Fault) {
      let length: Int
      var second: ClosedRange<UInt8> = 0x80...0xBF
      switch first {
      case 0xC2...0xDF: length = 2
      case 0xE0:
        length = 3
        second = 0xA0...0xBF
      case 0xE1...0xEC, 0xEE...0xEF: length = 3
      case 0xED:
        length = 3
        second = 0x80...0x9F
      case 0xF0:
        length = 4
        second = 0x90...0xBF
      case 0xF1...0xF3: length = 4
      case 0xF4:
        length = 4
        second = 0x80...0x8F
      default: throw fault(.invalidUTF8)
      }
      guard at + length <= end else { throw fault(.invalidUTF8) }
      guard second.contains(bytes[at + 1]) else { throw fault(.invalidUTF8) }
      for index in at + 2..<max(at + 2, at + length) {
        guard 0x80...0xBF ~= bytes[index] else { throw fault(.invalidUTF8) }
      }
      at += length
    }

    private func fault(_ reason: Reason) -> Fault { Fault(offset: at, reason: reason) }
  }

  /// Returns the value of a hexadecimal digit, or nil.
  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
