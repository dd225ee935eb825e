/// A path of input files that may contain wildcards (S30).
///
/// `*` matches any characters of a name, `?` matches one, `[a-z]` one of a set, and `[!a-z]` one that isn't in the set. None of them
/// matches a slash, or a dot at the beginning of a name. A component `**` matches any number of directories. A star, question mark or
/// bracket itself is written in brackets: `[*]`; a `[` without a `]` is itself.
public struct InputPattern: Hashable, Sendable, CustomStringConvertible {
  /// A part of the path between slashes.
  public enum Component: Hashable, Sendable {
    /// A name as it is.
    case name(String)
    /// Names that match.
    case names(NamePattern)
    /// Any number of directories, including zero.
    case directories
  }

  /// The pattern as it was written.
  public let description: String
  /// Whether the pattern starts at the root directory.
  public let isAbsolute: Bool
  /// The components, at least one unless it is the root directory.
  public let components: [Component]

  /// Reads a pattern.
  public init(_ text: String) {
    description = text
    isAbsolute = text.hasPrefix("/")
    var components: [Component] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: true) where part != "." {
      if part == "**" {
        if components.last != .directories { components.append(.directories) }
      } else {
        let names = NamePattern(part)
        components.append(names.name.map { .name($0) } ?? .names(names))
      }
    }
    self.components = components
  }

  /// Creates the pattern of one file, in whose path nothing has a special meaning.
  package init(file path: String) {
    description = path
    isAbsolute = path.hasPrefix("/")
    components = path.split(separator: "/").filter { $0 != "." }.map { .name(String($0)) }
  }
}

/// The pattern of a component with wildcards.
public struct NamePattern: Hashable, Sendable {
  private enum Element: Hashable {
    case scalar(Unicode.Scalar)
    case any
    case one
    case set([ClosedRange<Unicode.Scalar>], isExcluded: Bool)

    func matches(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .scalar(let own): own == scalar
      case .any, .one: true
      case .set(let ranges, let isExcluded): ranges.contains { $0.contains(scalar) } != isExcluded
      }
    }
  }

  private let elements: [Element]

  /// Reads a component.
  public init(_ text: Substring) {
    var rest = text.unicodeScalars
    var elements: [Element] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": if elements.last != .any { elements.append(.any) }
      case "?": elements.append(.one)
      case "[":
        var after = rest
        if let set = Self.set(&after) {
          elements.append(set)
          rest = after
        } else {
          elements.append(.scalar(scalar))
        }
      default: elements.append(.scalar(scalar))
      }
    }
    self.elements = elements
  }

  /// Reads a set after its `[`; `nil` if it has no `]`.
  ///
  /// A range from a higher to a lower character has no members.
  private static func set(_ rest: inout Substring.UnicodeScalarView) -> Element? {
    var isExcluded = false
    if let first = rest.first, first == "!" || first == "^" {
      isExcluded = true
      rest.removeFirst()
    }
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var isFirst = true
    while let low = rest.popFirst() {
      // At the beginning it is a member.
      if low == "]", !isFirst { return .set(ranges, isExcluded: isExcluded) }
      isFirst = false
      guard rest.first == "-", let high = rest.dropFirst().first, high != "]" else {
        ranges.append(low...low)
        continue
      }
      if low <= high { ranges.append(low...high) }
      rest.removeFirst(2)
    }
    return nil
  }

  /// The only name, if it has no wildcard; a set of one character is that character.
  var name: String? {
    var name = String.UnicodeScalarView()
    for element in elements {
      switch element {
      case .scalar(let scalar): name.append(scalar)
      case .set(let ranges, isExcluded: false):
        guard ranges.count == 1, let only = ranges.first, only.lowerBound == only.upperBound else { return nil }
        name.append(only.lowerBound)
      case .any, .one, .set: return nil
      }
    }
    return String(name)
  }

  /// Whether a name matches.
  ///
  /// Returns whether a name matches. A star that has matched too little takes one more character. Only the last star has to try again,
  /// because an earlier star has taken the shortest text after which the rest could match.
  public func matches(_ name: String) -> Bool {
    let scalars = Array(name.unicodeScalars)
    if scalars.first == ".", elements.first != .scalar(".") { return false }
    var element = 0
    var scalar = 0
    var star: (element: Int, scalar: Int)?
    while scalar < scalars.count {
      if element < elements.count, elements[element] == .any {
        star = (element, scalar)
        element += 1
      } else if element < elements.count, elements[element].matches(scalars[scalar]) {
        element += 1
        scalar += 1
      } else if let last = star {
        star = (last.element, last.scalar + 1)
        element = last.element + 1
        scalar = last.scalar + 1
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .any }
  }
}
