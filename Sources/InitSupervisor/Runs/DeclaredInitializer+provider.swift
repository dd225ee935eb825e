internal import AppInitializers
internal import InitCore
internal import InitWords

extension DeclaredInitializer {
  /// The declaration for the machine.
  var declarationOfWork: Declaration {
    var declaration = declaration
    declaration.hasStop = command?.stop != nil
    declaration.hasCondition = condition != nil
    return declaration
  }

  /// Creates its provider; nil if a worker must register it.
  ///
  /// `common` is the variables of all commands.
  func provider(of owner: SupervisorReference, in common: [String: String]) -> (any InitializerProvider)? {
    guard let command else {
      return probe.map { ProbeProvider($0, owner: owner) }
        ?? (isProcess ? ProcessProvider(declaration.name, owner: owner) : nil)
    }
    let provider = CommandProvider(command, in: common, isSecret: isSecret, owner: owner)
    return isOnce ? OnceProvider(provider, owner: owner) : provider
  }
}
