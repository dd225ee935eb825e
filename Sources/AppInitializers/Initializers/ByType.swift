/// A value for each type, computed once.
///
/// Often the same type is asked for many times in a row.
struct ByType<Value> {
  private var values: [ObjectIdentifier: Value] = [:]
  private var last: (type: ObjectIdentifier, value: Value)?

  init() {}

  /// Returns the value of a type, and computes it at the first call.
  mutating func value(of type: any AppInitializer.Type, compute: () -> Value) -> Value {
    let type = ObjectIdentifier(type)
    if let last, last.type == type { return last.value }
    let value = values[type] ?? compute()
    values[type] = value
    last = (type, value)
    return value
  }
}
