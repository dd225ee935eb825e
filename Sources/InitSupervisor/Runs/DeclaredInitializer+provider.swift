internal import AppInitializers
internal import InitCore
internal import InitDeclarations
internal import InitRunner
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
  func provider(
    of owner: SupervisorReference, _ runner: RunnerReference, in common: [String: String]
  ) -> (any InitializerProvider)? {
    if let probe { return LoopProvider(waitingFor: probe, runner) }
    if isProcess { return LoopProvider(startingIn: runner) }
    guard let command else { return nil }
    let provider = CommandProvider(command, in: common, isSecret: isSecret, owner: runner)
    return isOnce ? OnceProvider(provider, owner: owner) : provider
  }
}
