internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitRunner

/// Who executes the runs of providers, which are created before them.
struct ProviderOwners {
  let runner: LoopReference<Runner>
  let coordination: LoopReference<Coordination>
  let workers: LoopReference<Workers>

  /// Creates references to nothing, for a supervisor on this loop.
  init(loop: Loop) {
    runner = LoopReference(loop: loop)
    coordination = LoopReference(loop: loop)
    workers = LoopReference(loop: loop)
  }
}

extension DeclaredInitializer {
  /// The declaration for the machine.
  var declarationOfWork: Declaration {
    var declaration = declaration
    // What is done once is undone only on request, before it runs again (S37).
    declaration.hasStop = command?.stop != nil && declaration.freshness?.isEver != true
    declaration.hasCondition = condition != nil
    declaration.hasUnless = unless != nil
    return declaration
  }

  /// Creates the provider of the initializer; nil if a worker must register it.
  ///
  /// `common` are the variables of all commands.
  func provider(of owners: ProviderOwners, in common: [String: String]) -> (any InitializerProvider)? {
    if let probe { return LoopProvider(waitingFor: probe, owners.runner) }
    if isProcess { return LoopProvider(startingIn: owners.runner) }
    guard let command else { return nil }
    let provider = CommandProvider(
      command, in: common, isSecret: isSecret, isUndoneFirst: declaration.freshness?.isEver == true,
      owner: owners.runner)
    return isOnce ? OnceProvider(provider, owner: owners.coordination) : provider
  }
}
