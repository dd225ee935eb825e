internal import Glibc

/// An environment in the form that the system takes: made once, used for any number of children.
public final class EnvironmentBlock: @unchecked Sendable {
  /// Where programs without a slash in their name are looked for: the environment's own PATH, else the system's usual.
  public let searchPath: String

  let strings: CStringArray

  /// The environment with these variables and no others.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or has `=` in it, and for a NUL anywhere.
  public init(_ variables: [String: String]) throws(SpawnError) {
    guard variables.keys.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "=")) }),
      let strings = CStringArray(variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
    else { throw SpawnError(call: .arguments, errno: EINVAL, program: "") }
    self.strings = strings
    searchPath = variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  }
}

/// Strings as C wants them, with a null pointer behind the last.
final class CStringArray {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  /// Nil if a string has a NUL in it, where C would end it.
  init?(_ strings: [String]) {
    guard strings.allSatisfy({ !$0.utf8.contains(0) }) else { return nil }
    count = strings.count
    pointers = .allocate(capacity: strings.count + 1)
    pointers.initialize(repeating: nil, count: strings.count + 1)
    for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}
