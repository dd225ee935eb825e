internal import CPlatform

/// The commit that this program was built from.
package enum BuildCommit {
  /// The abbreviated commit of the sources, with `-dirty` if they had changes; "unknown" if the build didn't get `INITD_COMMIT`.
  package static var name: String { String(cString: platform_commit()) }
}
