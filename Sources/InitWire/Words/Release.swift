/// This release of the project.
package enum Release {
  /// The version of all programs.
  package static let version = "0.1.0"
}
