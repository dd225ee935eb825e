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
    guard !FaultInjection.refuses(), let (text, starts) = own.finish() else {
      throw SpawnError(call: .arguments, errno: errno, program: "")
    }
    self.text = text
    self.shared = shared
    pointers = .allocate(capacity: starts.count + (shared?.count ?? 0) + 1)
    for index in 0..<starts.count { (pointers + index).initialize(to: text + starts[index]) }
    var next = starts.count
    if let shared {
      for index in 0..<shared.count {
        guard let string = shared.pointers[index] else { continue }
        if starts.contains(where: { CStringArray.haveSameKey(text + $0, string, endOfKey) }) { continue }
        (pointers + next).initialize(to: string)
        next += 1
      }
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
struct CStrings: ~Copyable {
  /// The bytes; nil after `finish`.
  private var memory: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  private var count = 0
  private var starts: [Int] = []
  /// Whether there was no memory for a part of the strings.
  private var isExhausted = false

  init() { starts.reserveCapacity(16) }

  deinit { free(memory) }

  /// Begins a string.
  mutating func begin() {
    if !starts.isEmpty { add(0) }
    starts.append(count)
  }

  /// Adds to the last string.
  ///
  /// Throws ``SpawnError`` (EINVAL) if the text contains NUL.
  mutating func add(_ text: String) throws(SpawnError) {
    var text = text
    let isValid = text.withUTF8 { text in
      add(UnsafeRawBufferPointer(text))
      return text.isEmpty || memchr(text.baseAddress!, 0, text.count) == nil
    }
    guard isValid else { throw SpawnError(call: .arguments, errno: EINVAL, program: "") }
  }

  /// Adds bytes without NUL to the last string.
  mutating func add(_ more: UnsafeRawBufferPointer) {
    guard let first = more.baseAddress, let place = reserve(more.count) else { return }
    memcpy(place, first, more.count)
    count += more.count
  }

  /// Adds a byte to the last string.
  mutating func add(_ byte: UInt8) {
    guard let place = reserve(1) else { return }
    place.pointee = CChar(bitPattern: byte)
    count += 1
  }

  /// Returns the place of the next bytes; nil if there is no memory for them.
  private mutating func reserve(_ more: Int) -> UnsafeMutablePointer<CChar>? {
    if let memory, count + more <= capacity { return memory + count }
    let larger = max(1024, 2 * (count + more))
    guard !isExhausted, let made = realloc(memory, larger) else {
      isExhausted = true
      return nil
    }
    memory = made.assumingMemoryBound(to: CChar.self)
    capacity = larger
    return memory.map { $0 + count }
  }

  /// Returns all strings, each with its final NUL, and the positions where they begin; the caller frees the memory.
  ///
  /// Returns nil if there was no memory for them.
  mutating func finish() -> (text: UnsafeMutablePointer<CChar>, starts: [Int])? {
    add(0)
    guard !isExhausted, let memory = memory.take() else { return nil }
    return (memory, starts)
  }
}
