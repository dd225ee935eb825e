internal import Glibc

/// The disks of the system.
package enum Disks {
  /// Returns once everything that was written so far is on the disks; it may take long.
  package static func sync() { Glibc.sync() }
}
