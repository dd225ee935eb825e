internal import InitText

/// Identifies one execution of a supervisor: 128 random bits in hexadecimal.
enum InstanceID {
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    let high: UInt64 = generator.next()
    let low: UInt64 = generator.next()
    return high.digits(16, radix: 16) + low.digits(16, radix: 16)
  }
}
