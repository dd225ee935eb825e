internal import CLibuv

/// The C library's heap.
package enum Heap {
  /// Returns free memory to the system, after many small objects were freed: the C library itself keeps it. It may take a few milliseconds.
  package static func giveBack() { clibuv_trim_heap() }
}
