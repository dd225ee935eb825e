package import InitDeclarations
package import InitModel

/// The source of a supervisor's configuration, such as the files of a manifest; a reload reads it again (S27).
package protocol ConfigurationSource: Sendable {
  /// The name of the source in messages, e.g. the path of a file.
  var name: String { get }

  /// The keys with which the source describes initializers, processes and settings.
  ///
  /// By default there are none: then a difference of an initializer or a process is called `definition`, and is other work; one of the
  /// settings is called `settings`.
  var keys: DeclarationKeys { get }

  /// Reads the configuration again.
  ///
  /// This is called on a thread of its own, because it may block.
  ///
  /// - Returns: the configuration, and warnings about valid parts that are probably not meant.
  /// - Throws: the reason why the configuration can't be used.
  func read() throws(ConfigurationFault) -> (SupervisorConfiguration, warnings: [ConfigurationChanges.Finding])
}

extension ConfigurationSource {
  package var keys: DeclarationKeys { DeclarationKeys() }
}

/// The reason why a configuration that was read again can't be used.
package enum ConfigurationFault: Error, Sendable {
  /// The configuration can't be read, for this reason.
  case unreadable(String)
  /// The configuration has these mistakes.
  case invalid([ConfigurationChanges.Finding])
}
