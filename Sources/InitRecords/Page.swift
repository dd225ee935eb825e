/// The bounds of a page of `logs` or `history` (protocol §4), so encoding one takes a few milliseconds at most: others wait for that long.
package enum Page {
  /// The largest answer, except for usual durations.
  ///
  /// The protocol allows 1 MiB.
  package static let largestAnswer = 512 * 1024
  /// The maximum number of bytes of lines, runs or initializers, without the text around them.
  package static let bytes = largestAnswer - 4096
  /// About how many bytes a pass takes without its elements.
  package static let bytesOfPass = 400
}

extension String {
  /// An upper bound for the bytes of the text in JSON: a control character takes six.
  var bytesInJSON: Int {
    utf8.reduce(2) { bytes, byte in
      switch byte {
      case 0..<0x20: bytes + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes + 2
      default: bytes + 1
      }
    }
  }
}
