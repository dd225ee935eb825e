extension BinaryInteger {
  /// Returns the digits, with leading zeros up to this length.
  package func digits(_ count: Int, radix: Int = 10) -> String {
    let text = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
  }
}
