internal import InitWords

extension ManifestReader {
  /// Reads the limits of a command, or of `defaults`.
  mutating func limits(_ field: Field) -> ProcessSettings.Limits? {
    let example = "limits: { openFiles: 4096 }"
    guard let fields = fields(of: field.value, called: "\"limits\"", .limits, example: example) else { return nil }
    var limits = ProcessSettings.Limits()
    limits.openFiles = fields["openFiles"].flatMap { integer($0, example: "4096") }.map { UInt64($0) }
    limits.memory = fields["memory"].flatMap { size($0, example: "512MiB", isPositive: true) }
    limits.core = fields["core"].flatMap { size($0, example: "0") }
    return limits
  }

  /// Reads a user, and perhaps a group: `USER` or `USER:GROUP`.
  mutating func user(_ field: Field) -> ProcessSettings.UserName? {
    guard let text = word(field, "a user", example: "www-data") else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // A sign begins no name: "+5" would be read as the number 5.
    let isGood = parts.allSatisfy {
      !$0.isEmpty && !["+", "-"].contains($0.first) && !$0.contains(where: { $0.isWhitespace || $0 == "/" })
    }
    guard parts.count <= 2, isGood else {
      findings.add(
        field.value.position, "\(quoted(text)) is neither a user nor a user and a group",
        "write user: www-data or user: www-data:www-data")
      return nil
    }
    return ProcessSettings.UserName(String(parts[0]), group: parts.count == 2 ? String(parts[1]) : nil)
  }

  /// Reads a niceness: -20 to 19.
  mutating func nice(_ field: Field) -> Int32? {
    guard let text = scalar(field, "a number", example: "nice: 10") else { return nil }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard field.value.isPlain, (1...2).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      digits == "0" || !digits.hasPrefix("0"), text != "-0", let number = Int32(text), (-20...19).contains(number)
    else {
      findings.add(
        field.value.position, "\"nice\" is not a whole number from -20 to 19: \(quoted(text))", "write e.g. nice: 10")
      return nil
    }
    return number
  }

  /// Reads a number of bytes, with or without a unit.
  private mutating func size(_ field: Field, example: String, isPositive: Bool = false) -> UInt64? {
    guard let text = scalar(field, "a number of bytes", example: "\(field.name): \(example)") else { return nil }
    let units: [(String, UInt64)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = text.dropLast(unit == nil ? 0 : 3)
    // The largest number with a unit fits, so the product can't overflow.
    guard (1...(unit == nil ? 12 : 9)).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt64(digits)
    else {
      findings.add(
        field.value.position, "\(quoted(field.name)) is not a number of bytes: \(quoted(text))",
        "write e.g. \(field.name): 512MiB, or a number of bytes")
      return nil
    }
    guard !isPositive || number > 0 else {
      findings.add(
        field.value.position, "\(quoted(field.name)) must be more than 0", "write e.g. \(field.name): 512MiB")
      return nil
    }
    return number * (unit?.1 ?? 1)
  }
}
