extension StrictJSON {
  /// A word with one bit set in each byte.
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The highest bit of each byte.
  static let highestBits: UInt64 = 0x8080_8080_8080_8080

  /// Finds the bytes among eight that need an escape in a string: quotes, backslashes, and control characters.
  ///
  /// Returns a word in which the highest bit of the first such byte is set; the highest bits of ASCII bytes before it aren't. For all other
  /// bytes, including those that aren't ASCII, it may be set.
  @inline(__always)
  static func escaped(in word: UInt64) -> UInt64 {
    let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
    let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
    // A byte below the subtrahend borrows from the next one, so its highest bit is set.
    return (word &- ones &* 0x20 | (quotes &- ones) | (backslashes &- ones)) & highestBits
  }
}
