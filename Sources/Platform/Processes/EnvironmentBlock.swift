internal import Glibc

/// An environment in the system's format: created once, used for any number of children.
public final class EnvironmentBlock: @unchecked Sendable {
  /// A variable's name and its value.
  public typealias Variable = (name: String, value: String)

  /// The search path for programs without a slash in their name: the environment's PATH, else the system's default.
  public let searchPath: String

  /// Its strings, `NAME=value` each.
  package let strings: CStringArray

  /// An environment with exactly these variables.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or contains `=`, and for NUL anywhere.
  public convenience init(_ variables: [String: String]) throws(SpawnError) {
    try self.init(base: nil, variables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// An environment with additional variables, each named once, which override its own. The rest is shared, so that a few more variables
  /// cost little.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or contains `=`, and for NUL anywhere.
  public convenience init(_ base: EnvironmentBlock, adding variables: [Variable]) throws(SpawnError) {
    try self.init(base: base, variables)
  }

  private init(base: EnvironmentBlock?, _ variables: [Variable]) throws(SpawnError) {
    var path = base?.searchPath
    var own: [[CChar]] = []
    own.reserveCapacity(variables.count)
    for (name, value) in variables {
      guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")) else { throw EnvironmentBlock.invalid }
      if name == "PATH" { path = value }
      own.append(EnvironmentBlock.bytes(name, value))
    }
    strings = try CStringArray(own, sharing: base?.strings, endOfKey: CChar(bitPattern: UInt8(ascii: "=")))
    searchPath = path ?? "/usr/local/bin:/usr/bin:/bin"
  }

  /// A variable in the system's format. Values of our own environment that aren't UTF-8 are passed on unchanged.
  private static func bytes(_ name: String, _ value: String) -> [CChar] {
    // 0xEF is the first byte of U+FFFD; most values have none.
    if value.utf8.contains(0xEF), value.unicodeScalars.contains("\u{FFFD}"), let own = getenv(name),
      String(cString: own) == value
    {
      return "\(name)=".utf8CString.dropLast() + UnsafeBufferPointer(start: own, count: strlen(own) + 1)
    }
    return Array("\(name)=\(value)".utf8CString)
  }

  private static var invalid: SpawnError { SpawnError(call: .arguments, errno: EINVAL, program: "") }
}

/// C strings, with a null pointer at the end.
package final class CStringArray {
  package let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int
  private let ownCount: Int
  /// Its strings follow the own ones.
  private let shared: CStringArray?

  /// Throws ``SpawnError``: EINVAL if a string contains NUL; ENOMEM if there is no memory for them.
  package convenience init(_ strings: [String]) throws(SpawnError) {
    try self.init(strings.map { Array($0.utf8CString) })
  }

  /// The same for strings that contain their final NUL. The strings of `shared` follow, except those with the same key as one of the own
  /// strings: a key ends with `endOfKey`.
  init(_ strings: [[CChar]], sharing shared: CStringArray? = nil, endOfKey: CChar = 0) throws(SpawnError) {
    guard strings.allSatisfy({ $0.firstIndex(of: 0) == $0.count - 1 }) else {
      throw SpawnError(call: .arguments, errno: EINVAL, program: "")
    }
    ownCount = strings.count
    self.shared = shared
    pointers = .allocate(capacity: strings.count + (shared?.count ?? 0) + 1)
    var keys: [(string: UnsafeMutablePointer<CChar>, count: Int)] = []
    keys.reserveCapacity(strings.count)
    for (index, string) in strings.enumerated() {
      guard !Seam.refuses(), let copy = strdup(string) else {
        let error = SpawnError(call: .arguments, errno: errno, program: "")
        for made in 0..<index { free(pointers[made]) }
        pointers.deallocate()
        throw error
      }
      (pointers + index).initialize(to: copy)
      if let end = string.firstIndex(of: endOfKey) { keys.append((copy, end + 1)) }
    }
    var next = strings.count
    for index in 0..<(shared?.count ?? 0) {
      guard let string = shared?.pointers[index] else { continue }
      if keys.contains(where: { strncmp($0.string, string, $0.count) == 0 }) { continue }
      (pointers + next).initialize(to: string)
      next += 1
    }
    (pointers + next).initialize(to: nil)
    count = next
  }

  deinit {
    for index in 0..<ownCount { free(pointers[index]) }
    pointers.deallocate()
  }
}
