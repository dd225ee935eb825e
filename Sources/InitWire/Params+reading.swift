/// Reads params member by member, so that errors name the path: `params.initializers[2].name`.
///
/// A member that is `null` or has another wrong type is an error. Optional members may be left out; unknown ones are ignored.
struct ParamsReader {
  private let outline: StrictJSON.Outline
  private let path: String

  /// Reads the params of a message; where there are none, they are `{}`.
  ///
  /// - Throws: −32602 for anything but an object.
  init(params: RawJSON?) throws(WireError) {
    try self.init(params ?? .emptyObject, at: "params")
  }

  fileprivate init(_ value: RawJSON, at path: String) throws(WireError) {
    guard value.kind == .object else { throw .invalidParams(path, "must be an object") }
    outline = value.outline
    self.path = path
  }

  /// A member that may be missing.
  subscript(name: String) -> ParamsMember? {
    outline[name].map { ParamsMember(value: $0, parent: path, name: name) }
  }

  /// A member that must be there.
  ///
  /// - Throws: −32602 if it is missing.
  func required(_ name: String) throws(WireError) -> ParamsMember {
    guard let member = self[name] else { throw .invalidParams("\(path).\(name)", "must be given") }
    return member
  }

  /// The error for a member that is wrong by itself or together with others.
  func wrong(_ name: String, _ requirement: String) -> WireError {
    .invalidParams("\(path).\(name)", requirement)
  }
}

/// One member of params, or one element of a list there, to be read as what it must be.
struct ParamsMember {
  /// The longest duration, in seconds; one above that is a mistake, and no timer takes it.
  static let longestDuration = 1e9

  fileprivate let value: RawJSON
  fileprivate let parent: String
  fileprivate let name: String

  private var path: String { name.isEmpty ? parent : "\(parent).\(name)" }

  /// The error for this member.
  func wrong(_ requirement: String) -> WireError { .invalidParams(path, requirement) }

  /// An integer of 64 bits, written without fraction and exponent.
  func integer() throws(WireError) -> Int {
    guard let integer = value.integer.flatMap(Int.init(exactly:)) else {
      throw wrong("must be an integer of 64 bits, without fraction and exponent")
    }
    return integer
  }

  /// An integer of at least 1.
  func positiveInteger() throws(WireError) -> Int {
    guard let integer = value.integer.flatMap(Int.init(exactly:)), integer >= 1 else {
      throw wrong("must be an integer of at least 1")
    }
    return integer
  }

  /// A duration in seconds.
  func seconds() throws(WireError) -> Double {
    guard let number = value.number, number >= 0, number < Self.longestDuration else {
      throw wrong("must be a number of seconds, at least 0 and less than 1e9")
    }
    return number
  }

  /// A factor by which a delay grows.
  func factor() throws(WireError) -> Double {
    guard let number = value.number, number >= 1, number < Self.longestDuration else {
      throw wrong("must be a number, at least 1 and less than 1e9")
    }
    return number
  }

  /// A part of a whole.
  func fraction() throws(WireError) -> Double {
    guard let number = value.number, 0...1 ~= number else { throw wrong("must be a number from 0 to 1") }
    return number
  }

  /// `true` or `false`.
  func boolean() throws(WireError) -> Bool {
    guard let boolean = value.boolean else { throw wrong("must be true or false") }
    return boolean
  }

  /// Any string.
  func string() throws(WireError) -> String {
    guard let string = value.string else { throw wrong("must be a string") }
    return string
  }

  /// The name of an initializer.
  func initializerName() throws(WireError) -> String {
    guard let string = value.string, InitializerName.isValid(string) else { throw wrong(InitializerName.requirement) }
    return string
  }

  /// One of the words that a type lists.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) throws(WireError) -> Word {
    guard let word = value.string.flatMap(Word.init(rawValue:)) else {
      throw wrong("must be one of " + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    return word
  }

  /// An object, member by member.
  func object() throws(WireError) -> ParamsReader { try ParamsReader(value, at: path) }

  /// An object's members as they stand, by name.
  func members() throws(WireError) -> [String: RawJSON] {
    guard value.kind == .object else { throw wrong("must be an object") }
    return value.outline.members
  }

  /// A list, element by element.
  func list() throws(WireError) -> [ParamsMember] {
    guard value.kind == .array else { throw wrong("must be an array") }
    let path = path
    return value.outline.values.enumerated().map { ParamsMember(value: $1, parent: "\(path)[\($0)]", name: "") }
  }

  /// A list of different names of initializers.
  func initializerNames() throws(WireError) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for element in try list() {
      let name = try element.initializerName()
      guard seen.insert(name).inserted else { throw element.wrong("must not name \"\(name)\" a second time") }
      names.append(name)
    }
    return names
  }
}
