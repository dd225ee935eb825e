/// A value on the heap: a copy of the box copies a reference.
///
/// The type requires no conformance of its values. The runtime searches all conformances of the program for a required one, which takes more
/// than 100,000 instructions at a start. Code of the start also avoids further key types of dictionaries and sets, and `joined`.
package final class Box<Value: Sendable>: Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}

extension Box: Equatable where Value: Equatable {
  /// Returns whether two boxes have the same value.
  package static func == (left: Box, right: Box) -> Bool { left === right || left.value == right.value }
}

extension Box: Hashable where Value: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
