package import InitCore
package import InitWords

/// An initializer that isn't a Swift object of the program: one of a manifest, a command or a worker.
public struct DeclaredInitializer: Hashable, Sendable {
  package var declaration: Declaration
  /// The command that runs the initializer; `nil` if a worker must register it, or it waits for a probe.
  public var command: Command?
  /// The probe that the initializer waits for, if that is its work (S31).
  package var probe: Probe? {
    get { probeBox?.value }
    set { probeBox = newValue.map(Box.init) }
  }
  /// Whether the work is to start the kept process of that name, and to wait until it is ready (S32).
  package var isProcess = false
  /// The condition that must hold when the initializer's turn comes; otherwise it is skipped (S29).
  package var condition: Condition? {
    get { conditionBox?.value }
    set { conditionBox = newValue.map(Box.init) }
  }
  /// The command that finds out at its turn whether the work is already done (S37).
  package var unless: Unless? {
    get { unlessBox?.value }
    set { unlessBox = newValue.map(Box.init) }
  }
  /// Whether the output must not appear in logs, states and events.
  public var isSecret: Bool
  /// Whether the initializer runs once for a release on all hosts of a fleet: a coordinator decides where.
  ///
  /// Such an initializer needs the `release` of the supervisor's configuration.
  public var isOnce: Bool
  /// On the heap, because few initializers of a large manifest have one.
  private var probeBox: Box<Probe>?
  private var conditionBox: Box<Condition>?
  private var unlessBox: Box<Unless>?

  /// Declares an initializer that runs a command or waits for a probe; without both, a worker runs it.
  package init(
    _ declaration: Declaration, command: Command? = nil, probe: Probe? = nil, isProcess: Bool = false,
    isSecret: Bool = false, isOnce: Bool = false
  ) {
    self.declaration = declaration
    self.command = command
    probeBox = probe.map(Box.init)
    self.isProcess = isProcess
    self.isSecret = isSecret
    self.isOnce = isOnce
  }

  /// The command's settings, which an initializer without a command doesn't have and doesn't take.
  package var run: Command {
    get { command ?? Command([]) }
    set { if command != nil { command = newValue } }
  }

  /// The kind of the initializer's provider.
  package var kind: ProviderKind {
    if command != nil { return .command }
    if probe != nil { return .waitFor }
    return isProcess ? .process : .worker
  }
}
