internal import CPlatform

/// The C library's heap.
package enum Heap {
  /// Gives back to the system what is free. For after a great many small things have gone: by itself the C library keeps it for the next ones,
  /// for good. It takes a few milliseconds where there is much.
  package static func giveBack() { platform_trim_heap() }
}
