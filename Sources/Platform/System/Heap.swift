internal import CPlatform

/// The C library's heap.
package enum Heap {
  /// Returns free memory to the system, for example after many small allocations were freed: otherwise the C library keeps it for later
  /// allocations.
  ///
  /// The call may take a few milliseconds.
  package static func giveBack() { platform_trim_heap() }

  /// Takes blocks of at least this size directly from the system, and returns them when they are freed.
  package static func keepApart(blocksFrom bytes: Int) { platform_keep_apart(Int32(clamping: bytes)) }

  /// Keeps all free memory for later allocations, for a process that ends soon: the system would clear each page that it gives again.
  package static func keep() { platform_keep_heap() }
}
