/// A value on the heap: a copy of the box copies a reference.
package final class Box<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }

  /// Returns whether two boxes have the same value.
  package static func == (left: Box, right: Box) -> Bool { left === right || left.value == right.value }

  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
