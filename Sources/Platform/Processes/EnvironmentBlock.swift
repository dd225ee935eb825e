internal import Glibc

/// An environment in the form that the system takes: made once, used for any number of children.
public final class EnvironmentBlock: @unchecked Sendable {
  /// A variable's name and its value.
  public typealias Variable = (name: String, value: String)

  /// Where programs without a slash in their name are looked for: the environment's own PATH, else the system's usual.
  public let searchPath: String

  /// Its strings, `NAME=value` each.
  package let strings: CStringArray

  /// The environment with these variables and no others.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or has `=` in it, and for a NUL anywhere.
  public convenience init(_ variables: [String: String]) throws(SpawnError) {
    try self.init(base: nil, variables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// An environment and these variables, each named once, which win over its own. It shares what it takes over, so that a few variables
  /// more cost little.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or has `=` in it, and for a NUL anywhere.
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

  /// A variable as the system takes it. What of our own environment isn't UTF-8 is handed on as it is, and not as the text that we see.
  private static func bytes(_ name: String, _ value: String) -> [CChar] {
    if value.unicodeScalars.contains("\u{FFFD}"), let own = getenv(name), String(cString: own) == value {
      return "\(name)=".utf8CString.dropLast() + UnsafeBufferPointer(start: own, count: strlen(own) + 1)
    }
    return Array("\(name)=\(value)".utf8CString)
  }

  private static var invalid: SpawnError { SpawnError(call: .arguments, errno: EINVAL, program: "") }
}

/// Strings as C wants them, with a null pointer behind the last.
package final class CStringArray {
  /// The strings, and the null pointer.
  package let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int
  private let ownCount: Int
  /// Whose strings stand behind the own ones.
  private let shared: CStringArray?

  /// Throws ``SpawnError``: EINVAL if a string has a NUL in it, where C would end it; ENOMEM if there is no memory for them.
  package convenience init(_ strings: [String]) throws(SpawnError) {
    try self.init(strings.map { Array($0.utf8CString) })
  }

  /// The same of strings that end in their NUL. Behind them stand those of `shared`, but for those that begin as one of them does, up to and
  /// with `endOfKey`.
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
