@preconcurrency internal import Glibc

/// The environment that this process was started with.
public enum ProcessEnvironment {
  /// The C library's array, which is never changed.
  package static var strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { environ }

  /// Returns all variables, with bytes replaced that aren't UTF-8.
  ///
  /// If two variables have the same name, the first one counts.
  public static func variables() -> [String: String] {
    var found: [String: String] = [:]
    found.reserveCapacity(48)
    var next = strings
    while let string = next?.pointee {
      if let end = strchr(string, Int32(UInt8(ascii: "="))) {
        let name = String(decoding: UnsafeRawBufferPointer(start: string, count: end - string), as: UTF8.self)
        if found[name] == nil { found[name] = String(cString: end + 1) }
      }
      next = next?.advanced(by: 1)
    }
    return found
  }

  /// Returns those of these variables that are set, as ``variables()`` does, without reading the others.
  package static func variables(named names: [String]) -> [String: String] {
    var found: [String: String] = [:]
    for name in names { found[name] = getenv(name).map { String(cString: $0) } }
    return found
  }

  /// Returns the first of these variables that is set and not empty, if it isn't UTF-8.
  ///
  /// The variable's text in ``variables()`` then differs.
  package static func firstSetThatIsNoText(of names: [String]) -> String? {
    for name in names {
      guard let value = getenv(name), value.pointee != 0 else { continue }
      return String(validatingCString: value) == nil ? name : nil
    }
    return nil
  }

  /// Returns the first of this process's arguments that isn't UTF-8, with invalid bytes replaced; nil if all are UTF-8.
  package static func firstArgumentThatIsNoText() -> String? {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else { continue }
      return String(cString: argument)
    }
    return nil
  }
}
