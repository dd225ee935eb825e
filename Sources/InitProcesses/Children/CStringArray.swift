internal import Glibc
internal import Platform

/// C strings, with a null pointer at the end.
package final class CStringArray {
  package let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int
  /// The own strings, one after the other.
  private let text: UnsafeMutablePointer<CChar>
  /// The array with the strings that follow this array's own.
  private let shared: CStringArray?

  /// Throws ``SpawnError``: EINVAL if a string contains NUL; ENOMEM if there is no memory for them.
  package convenience init(_ strings: [String]) throws(SpawnError) {
    var own = CStrings()
    for string in strings {
      own.begin()
      try own.add(string)
    }
    try self.init(own)
  }

  /// Combines the own strings with those of `shared`.
  ///
  /// A shared string is left out if an own string has the same key; a key ends with `endOfKey`.
  ///
  /// Throws ``SpawnError`` (ENOMEM) if there is no memory for them.
  init(_ own: consuming CStrings, sharing shared: CStringArray? = nil, endOfKey: UInt8 = 0) throws(SpawnError) {
    let (bytes, starts) = own.finish()
    guard !FaultInjection.refuses(), let memory = malloc(max(1, bytes.count)) else {
      throw SpawnError(call: .arguments, errno: errno, program: "")
    }
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(from: $0) }
    let text = memory.bindMemory(to: CChar.self, capacity: bytes.count)
    self.text = text
    self.shared = shared
    pointers = .allocate(capacity: starts.count + (shared?.count ?? 0) + 1)
    for (index, start) in starts.enumerated() { (pointers + index).initialize(to: text + start) }
    var next = starts.count
    for index in 0..<(shared?.count ?? 0) {
      guard let string = shared?.pointers[index] else { continue }
      if starts.contains(where: { CStringArray.haveSameKey(text + $0, string, endOfKey) }) { continue }
      (pointers + next).initialize(to: string)
      next += 1
    }
    (pointers + next).initialize(to: nil)
    count = next
  }

  private static func haveSameKey(
    _ left: UnsafeMutablePointer<CChar>, _ right: UnsafeMutablePointer<CChar>, _ end: UInt8
  ) -> Bool {
    var index = 0
    while left[index] == right[index], left[index] != 0 {
      if UInt8(bitPattern: left[index]) == end { return true }
      index += 1
    }
    return false
  }

  deinit {
    free(text)
    pointers.deallocate()
  }
}

/// C strings that are being put together, one after the other.
struct CStrings {
  private var bytes: [UInt8] = []
  private var starts: [Int] = []

  init() {
    bytes.reserveCapacity(512)
    starts.reserveCapacity(16)
  }

  /// Begins a string.
  mutating func begin() {
    if !starts.isEmpty { bytes.append(0) }
    starts.append(bytes.count)
  }

  /// Adds to the last string.
  ///
  /// Throws ``SpawnError`` (EINVAL) if the text contains NUL.
  mutating func add(_ text: String) throws(SpawnError) {
    var text = text
    let isValid = text.withUTF8 { text in
      bytes.append(contentsOf: text)
      return text.isEmpty || memchr(text.baseAddress!, 0, text.count) == nil
    }
    guard isValid else { throw SpawnError(call: .arguments, errno: EINVAL, program: "") }
  }

  /// Adds bytes without NUL to the last string.
  mutating func add(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  /// Adds a byte other than NUL to the last string.
  mutating func add(_ byte: UInt8) { bytes.append(byte) }

  /// Returns all strings, each with its final NUL, and the positions where they begin.
  consuming func finish() -> (bytes: [UInt8], starts: [Int]) {
    if !starts.isEmpty { bytes.append(0) }
    return (bytes, starts)
  }
}
