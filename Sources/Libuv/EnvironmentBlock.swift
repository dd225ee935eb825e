internal import Glibc

/// An environment in the form that the system takes: made once, used for any number of children.
public final class EnvironmentBlock: @unchecked Sendable {
  /// Where programs without a slash in their name are looked for: the environment's own PATH, else the system's usual.
  public let searchPath: String

  let strings: CStringArray
  /// The variables' names, in the order of the strings.
  private let names: [String]

  /// The environment with these variables and no others.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or has `=` in it, and for a NUL anywhere.
  public convenience init(_ variables: [String: String]) throws(SpawnError) {
    try self.init(base: nil, variables)
  }

  /// An environment and these variables, which win over its own. It shares what it takes over, so that a few variables more cost little.
  ///
  /// Throws ``SpawnError`` (EINVAL) for a name that is empty or has `=` in it, and for a NUL anywhere.
  public convenience init(_ base: EnvironmentBlock, adding variables: [String: String]) throws(SpawnError) {
    try self.init(base: base, variables)
  }

  private init(base: EnvironmentBlock?, _ variables: [String: String]) throws(SpawnError) {
    let added = variables.sorted { $0.key < $1.key }
    let kept = base?.names.indices.filter { variables[base?.names[$0] ?? ""] == nil } ?? []
    guard added.allSatisfy({ !$0.key.isEmpty && !$0.key.utf8.contains(UInt8(ascii: "=")) }),
      let strings = CStringArray(added.map { "\($0.key)=\($0.value)" }, sharing: kept, of: base?.strings)
    else { throw SpawnError(call: .arguments, errno: EINVAL, program: "") }
    self.strings = strings
    names = added.map(\.key) + kept.compactMap { base?.names[$0] }
    searchPath = variables["PATH"] ?? base?.searchPath ?? "/usr/local/bin:/usr/bin:/bin"
  }
}

/// Strings as C wants them, with a null pointer behind the last.
final class CStringArray {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let ownCount: Int
  /// Whose strings stand behind the own ones.
  private let shared: CStringArray?

  /// Nil if a string has a NUL in it, where C would end it. Behind the strings stand those of another array at these indices.
  init?(_ strings: [String], sharing indices: [Int] = [], of shared: CStringArray? = nil) {
    guard strings.allSatisfy({ !$0.utf8.contains(0) }) else { return nil }
    ownCount = strings.count
    self.shared = shared
    let count = strings.count + indices.count
    pointers = .allocate(capacity: count + 1)
    pointers.initialize(repeating: nil, count: count + 1)
    for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
    for (place, index) in indices.enumerated() { pointers[strings.count + place] = shared?.pointers[index] }
  }

  deinit {
    for index in 0..<ownCount { free(pointers[index]) }
    pointers.deallocate()
  }
}
