internal import AppInitializers
internal import InitCore
internal import InitDeclarations
internal import InitWords

extension DeclaredInitializer {
  /// The declaration for the machine.
  var declarationOfWork: Declaration {
    var declaration = declaration
    declaration.hasStop = command?.stop != nil
    declaration.hasCondition = condition != nil
    return declaration
  }

  /// Creates the provider of the initializer; nil if a worker must register it.
  ///
  /// `common` are the variables of all commands.
  func provider(of owner: SupervisorReference, in common: [String: String]) -> (any InitializerProvider)? {
    if let probe {
      return SupervisorProvider(owner: owner) { try await $0.execution.probes.run(probe, $1, on: $0) }
    }
    if isProcess {
      return SupervisorProvider(owner: owner) { try await $0.execution.processes.run($1, on: $0) }
    }
    guard let command else { return nil }
    let provider = CommandProvider(command, in: common, isSecret: isSecret, owner: owner)
    return isOnce ? OnceProvider(provider, owner: owner) : provider
  }
}
