internal import Glibc
internal import InitWire

/// Identifies one execution of a supervisor: 128 random bits in hexadecimal.
enum InstanceID {
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next(), generator.next()].map { (word: UInt64) in word.digits(16, radix: 16) }.joined()
  }
}
