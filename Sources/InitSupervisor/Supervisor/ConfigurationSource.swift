package import InitWire

/// Where a supervisor's configuration comes from, for a reload (S27), for example the files of a manifest.
package protocol ConfigurationSource: Sendable {
  /// What it is called in messages, e.g. the path of a file.
  var name: String { get }

  /// Reads the configuration again.
  ///
  /// Called on a thread of its own, because it may block.
  ///
  /// - Returns: the configuration, and what is valid but probably not meant.
  /// - Throws: why it can't be used.
  func read() throws(ConfigurationFault) -> (SupervisorConfiguration, warnings: [FindingShape])
}

/// Why a configuration that was read again can't be used.
package enum ConfigurationFault: Error, Sendable {
  /// It can't be read, and why.
  case unreadable(String)
  /// It has these mistakes.
  case invalid([FindingShape])
}
