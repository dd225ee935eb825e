/// This release of the project.
package enum Release {
  /// Its version, which all programs tell.
  package static let version = "0.1.0"
}
