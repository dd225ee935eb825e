/// A value on the heap: a copy of the box copies a reference.
final class Box<Value: Hashable & Sendable>: Hashable, Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }

  /// Returns whether two boxes have the same value.
  static func == (left: Box, right: Box) -> Bool { left === right || left.value == right.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
