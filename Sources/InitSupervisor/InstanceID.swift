internal import Glibc

/// Identifies one execution of a supervisor: 128 random bits in hexadecimal.
enum InstanceID {
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next(), generator.next()].map { (word: UInt64) in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
