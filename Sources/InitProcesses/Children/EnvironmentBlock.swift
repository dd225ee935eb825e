internal import Glibc

/// An environment in the system's format: created once, used for any number of children.
public final class EnvironmentBlock: @unchecked Sendable {
  /// A variable's name and its value.
  public typealias Variable = (name: String, value: String)

  /// The search path for programs without a slash in their name: the environment's PATH, else the system's default.
  public let searchPath: String

  /// The strings, `NAME=value` each.
  package let strings: CStringArray

  /// The place of the value that is the pid of the first child; nil for none.
  private var ownPid: UnsafeMutablePointer<CChar>?

  /// Creates an environment with exactly these variables.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or contains `=`, and for NUL anywhere.
  public convenience init(_ variables: [String: String]) throws(SpawnError) {
    try self.init(base: nil, variables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// Creates an environment with additional variables, each named once, which override its own.
  ///
  /// The other variables are shared, so a few more variables cost little.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or contains `=`, and for NUL anywhere.
  public convenience init(_ base: EnvironmentBlock, adding variables: [Variable]) throws(SpawnError) {
    try self.init(base: base, variables)
  }

  /// Creates an environment with additional variables, and one whose value is the pid of the first child that is started
  /// with it.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or contains `=`, and for NUL anywhere.
  package convenience init(
    _ base: EnvironmentBlock, adding variables: [Variable], ownPidIn name: String
  ) throws(SpawnError) {
    try self.init(base: base, variables + [(name, String(repeating: "0", count: Self.digitsOfPid))])
    let start = name + "="
    var next = strings.pointers
    while let string = next.pointee, ownPid == nil {
      if strncmp(string, start, start.utf8.count) == 0 { ownPid = string + start.utf8.count }
      next += 1
    }
  }

  /// Returns the place of the pid of the first child, once; nil for none.
  func takeOwnPid() -> UnsafeMutablePointer<CChar>? {
    defer { ownPid = nil }
    return ownPid
  }

  /// The digits of the greatest pid that a number of 32 bits can be.
  private static let digitsOfPid = 10

  private init(base: EnvironmentBlock?, _ variables: [Variable]) throws(SpawnError) {
    var path = base?.searchPath
    var own = CStrings()
    for (name, value) in variables {
      guard !name.isEmpty, !name.hasByte(Self.endOfName) else { throw EnvironmentBlock.invalid }
      if name == "PATH" { path = value }
      own.begin()
      try own.add(name)
      own.add(Self.endOfName)
      if let bytes = Self.inheritedBytes(name, value) { own.add(bytes) } else { try own.add(value) }
    }
    strings = try CStringArray(own, sharing: base?.strings, endOfKey: Self.endOfName)
    searchPath = path ?? "/usr/local/bin:/usr/bin:/bin"
  }

  private static let endOfName = UInt8(ascii: "=")

  /// Returns the value of our own environment, if it isn't UTF-8 and is passed on unchanged.
  private static func inheritedBytes(_ name: String, _ value: String) -> UnsafeRawBufferPointer? {
    // 0xEF is the first byte of U+FFFD; most values have none.
    guard value.hasByte(0xEF), value.unicodeScalars.contains("\u{FFFD}"), let own = getenv(name),
      String(cString: own) == value
    else { return nil }
    return UnsafeRawBufferPointer(start: own, count: strlen(own))
  }

  private static var invalid: SpawnError { SpawnError(call: .arguments, errno: EINVAL, program: "") }
}

extension String {
  /// Returns whether the text has this byte in UTF-8.
  fileprivate func hasByte(_ byte: UInt8) -> Bool {
    var text = self
    return text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false }
  }
}
