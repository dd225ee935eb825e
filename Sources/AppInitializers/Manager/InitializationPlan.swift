internal import InitCore
internal import InitWords

/// The initializers that a manager would run, in order, without running them: for unit tests of a graph.
///
/// ```swift
/// @Test func graph() throws {
///   let plan = try InitializationPlan([Favorites(), FeatureToggles(), Session()])
///   #expect(plan.launch == ["FeatureToggles", "Favorites"])
/// }
/// ```
public struct InitializationPlan: Sendable, Hashable {
  /// The initializers of the launch pass, in the order of S6.
  public let launch: [String]
  /// The initializers of each active pass after launch, in the order of S6.
  public let active: [String]

  /// Plans these initializers.
  ///
  /// - Parameters:
  ///   - initializers: the initializers, in any order.
  ///   - others: the names of the supervisor's commands and workers.
  /// - Throws: ``InitializationFaults``, all faults of the graph at once.
  public init(_ initializers: [any AppInitializer], others: [String] = []) throws(InitializationFaults) {
    var declared: [String: (declaration: Declaration, isDuplicated: Bool)] = [:]
    var names: [String] = []
    for declaration in Roster(initializers).declarations(of: initializers, others: others) {
      guard declared[declaration.name] == nil else {
        declared[declaration.name]?.isDuplicated = true
        continue
      }
      declared[declaration.name] = (declaration, false)
      names.append(declaration.name)
    }
    let known = Set(others)
    func plan(_ names: [String], faultLimit: Int = 1, isDone: (Declaration) -> Bool = { _ in false }) -> Plan {
      Plan(roots: names, faultLimit: faultLimit) { name in
        guard let (declaration, isDuplicated) = declared[name] else {
          return known.contains(name) ? .satisfied : .undeclared(isFault: true)
        }
        return isDone(declaration) ? .satisfied : .declared(declaration, isDuplicated: isDuplicated)
      }
    }
    func roots(_ priority: Priority) -> [String] { names.filter { declared[$0]?.declaration.priority == priority } }

    let faults = plan(names, faultLimit: InitializationFaults.limit).faults
    guard faults.isEmpty else {
      throw InitializationFaults(faults: faults.map { AppInitializationError($0, thrown: nil) })
    }
    launch = plan(roots(.appLaunch)).items.map(\.name)
    active = plan(roots(.appActive)) { $0.priority == .appLaunch }.items.map(\.name)
  }
}

/// All faults of a graph.
public struct InitializationFaults: Error, Sendable, Equatable, CustomStringConvertible {
  /// The maximum number of reported faults.
  public static let limit = 1000

  /// All duplicates, missing dependencies and cycles, in depth-first order (S6).
  ///
  /// Never empty.
  public let faults: [AppInitializationError]

  /// Creates faults; for tests.
  public init(faults: [AppInitializationError]) { self.faults = faults }

  /// The faults, one line each.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
