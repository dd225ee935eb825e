internal import InitCore
package import InitModel
internal import InitTimeline
package import InitWire
package import InitWords

/// What a launch or an activation would run now, in order (S3–S6).
///
/// For an activation, launch counts as complete.
///
/// A pass in flight is joined (S10): the initializers that it has not completed yet are listed.
package struct UpcomingPass: Sendable, Equatable {
  /// The names, in the order in which they would start if one ran at a time (S6).
  package private(set) var names: [String] = []
  /// The names that a worker must register before the pass can complete (S20).
  package private(set) var undeclared: [String] = []
  /// Why the pass would fail before it runs anything; then it has no names.
  package private(set) var failure: String?

  /// Plans the pass of a phase, as the Status leads to it.
  package init(_ phase: Phase, _ status: Status) {
    let world = World(phase, status)
    if world.isOver { return }
    let plan = Plan(roots: world.roots, resolve: world.resolve)
    var isBlocked = [Bool](repeating: false, count: plan.items.count)
    for (index, item) in plan.items.enumerated() {
      isBlocked[index] =
        item.failure != nil || plan.dependencies[PlanIndex(index)].contains { isBlocked[$0.rawValue] }
      if item.failure != nil, item.isNeeded { failure = failure ?? item.failure?.description }
    }
    failure = plan.fault?.description ?? failure
    guard failure == nil else { return }
    for (index, item) in plan.items.enumerated() where !isBlocked[index] {
      if item.declaration == nil { undeclared.append(item.name) } else { names.append(item.name) }
    }
  }
}

extension PlannedPasses {
  /// Plans the launch and the activation that would run now.
  package init(_ status: Status) {
    self.init(launch: UpcomingPass(.launch, status).names, active: UpcomingPass(.active, status).names)
  }
}

/// The completion of each initializer in a phase, by the Status.
private struct World {
  private let phase: Phase
  private let initializers: [String: Initializer]
  /// The initializers that have completed for launch, which doesn't run them again.
  private let doneInLaunch: Set<String>
  /// The pass in flight that would be joined.
  private let joined: Int?
  /// Whether launch has completed, in which case a launch initializer that failed remains failed.
  private let isLaunched: Bool
  /// Whether an active pass has completed in spite of initializers that weren't run.
  private let isActiveComplete: Bool
  let roots: [String]

  init(_ phase: Phase, _ status: Status) {
    self.phase = phase
    initializers = Dictionary(status.initializers.map { ($0.name, $0) }) { first, _ in first }
    roots = status.initializers.filter {
      $0.priority == .known(phase.priority) && $0.skipped?.reason != .known(.unselected)
    }.map(\.name)
    isLaunched = status.launch.state == .complete
    isActiveComplete = status.active.state == .complete
    switch phase {
    case .launch: joined = status.launch.state == .pending ? status.launch.pass : nil
    case .active:
      // After a cancellation the state is also pending, but the app isn't active (S11).
      joined = status.active.state == .pending && status.lifecycle == .active ? status.active.pass : nil
    }
    doneInLaunch = World.doneInLaunch(initializers, roots: status.initializers.map(\.name))
  }

  /// Whether the request would do nothing: a complete launch isn't repeated (S9).
  var isOver: Bool { phase == .launch && isLaunched }

  /// Returns the complete launch initializers, their dependencies, and the dependencies that a launch pass completed last.
  private static func doneInLaunch(_ initializers: [String: Initializer], roots: [String]) -> Set<String> {
    var done: Set<String> = []
    var open = roots.filter { name in
      guard let each = initializers[name], each.isSatisfied, each.skipped?.reason != .known(.requested) else {
        return false
      }
      return each.priority == .appLaunch || each.phase?.known == .launch
    }
    while let name = open.popLast() {
      guard done.insert(name).inserted else { continue }
      open += initializers[name]?.dependencies ?? []
    }
    return done
  }

  func resolve(_ name: String) -> Plan.Resolution {
    guard let each = initializers[name] else { return .undeclared(isFault: false) }
    var declaration = Declaration(
      name, priority: each.priority.known ?? .appLaunch, dependencies: each.dependencies,
      isOptional: each.status == .notRun && isActiveComplete)
    declaration.after = each.after ?? []
    // The supervisor was told to skip the initializer, in every pass.
    if each.skipped?.reason == .known(.requested) { return .satisfied }
    let isEnded = joined != nil && each.pass == joined
    switch phase {
    case .launch where doneInLaunch.contains(name): return .satisfied
    case .active where declaration.priority == .appLaunch:
      let isLost = isLaunched && (each.status == .failed || each.status == .notRun)
      return isLost ? .failed(declaration, failure(of: each)) : .satisfied
    case .active where isEnded && each.status == .complete: return .satisfied
    case .launch where isEnded && each.status == .failed, .active where isEnded && each.status == .failed:
      // An optional initializer that has failed in the pass in flight; otherwise the pass would be stopping.
      return .failed(declaration, failure(of: each))
    case .launch, .active: return .declared(declaration, isDuplicated: false)
    }
  }

  private func failure(of initializer: Initializer) -> Failure {
    let message = initializer.error?.message ?? "\(initializer.blockedBy ?? "a dependency") failed"
    // The failure's own description begins with the name.
    let own = "\(initializer.name) failed: "
    return .initializerFailed(
      initializer.name, .error(message: message.hasPrefix(own) ? String(message.dropFirst(own.count)) : message))
  }
}
