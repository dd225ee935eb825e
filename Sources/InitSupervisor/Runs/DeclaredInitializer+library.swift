public import AppInitializers
internal import InitCore
public import InitDeclarations

extension DeclaredInitializer {
  /// Declares an initializer run by a command: it is complete when the command exits with status 0.
  ///
  /// A name without a slash is searched for in PATH.
  ///
  /// - Parameters:
  ///   - name: the name of the initializer: 1 to 128 ASCII letters, digits and `._:/@+-`, beginning with a letter or digit.
  ///   - arguments: the program and its arguments.
  ///   - priority: the phase that runs it.
  ///   - dependencies: the names of its dependencies; a Swift initializer has its type's name, unless it declares another.
  ///   - timeout: how long an attempt may take (S15).
  ///   - retry: how a failed run is retried (S16).
  ///   - isOptional: whether the pass continues if the initializer fails (S8).
  ///   - isSecret: whether the output must not appear in logs, states and events.
  ///   - environment: variables in addition to the supervisor's environment; they override it.
  ///   - directory: the working directory; the supervisor's by default.
  ///   - stop: a program and its arguments, run at shutdown if the command has completed (S24), with the same environment and directory.
  /// - Returns: the declaration, for the supervisor.
  public static func command(
    _ name: String, _ arguments: [String], priority: InitializerPriority = .appLaunch, dependencies: [String] = [],
    timeout: Duration? = nil, retry: AppInitializers.RetryPolicy = .never, isOptional: Bool = false,
    isSecret: Bool = false, environment: [String: String] = [:], directory: String? = nil, stop: [String]? = nil
  ) -> DeclaredInitializer {
    let declaration = Declaration(
      name, priority: priority.corePriority, dependencies: dependencies, timeout: timeout, retry: retry.corePolicy,
      isOptional: isOptional)
    let command = Command(arguments, environment: environment, directory: directory, stop: stop)
    return DeclaredInitializer(declaration, command: command, isSecret: isSecret)
  }

  /// Declares an initializer that a worker registers over the socket (S18); the worker sets the attributes that aren't given here.
  ///
  /// The parameters are those of ``command(_:_:priority:dependencies:timeout:retry:isOptional:isSecret:environment:directory:stop:)``.
  public static func worker(
    _ name: String, priority: InitializerPriority = .appLaunch, dependencies: [String] = [], timeout: Duration? = nil,
    retry: AppInitializers.RetryPolicy = .never, isOptional: Bool = false, isSecret: Bool = false
  ) -> DeclaredInitializer {
    DeclaredInitializer(
      Declaration(
        name, priority: priority.corePriority, dependencies: dependencies, timeout: timeout, retry: retry.corePolicy,
        isOptional: isOptional), isSecret: isSecret)
  }
}
