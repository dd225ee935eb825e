package import InitJSON

/// The first line of the file of what is done once (S37): where its state directory is, and the latest time that is known.
package struct EverHeader: Shape, Equatable {
  /// The name of the file in the state directory.
  package static let fileName = "ever"
  /// The maximum size of the file in bytes.
  package static let limit = 64 << 20

  /// The machine, the file system and the directory for which the records count.
  package private(set) var machine = ""
  package private(set) var directory = ""
  /// The latest time of the system's clock that is known, in milliseconds since the Unix epoch.
  package var seen = 0
  private var version = 1

  package init() {}

  /// Describes a directory at a time.
  package init(machine: String, directory: String, seen: Int) {
    self.machine = machine
    self.directory = directory
    self.seen = seen
  }

  /// Whether the records count on a machine, in a directory.
  package func counts(on machine: String, in directory: String) -> Bool {
    version == 1 && self.machine == machine && self.directory == directory
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("directory", &directory)
    try json.required("machine", &machine)
    try json.required("seen", &seen)
    try json.required("version", &version)
  }
}
