internal import InitCore
internal import InitDeclarations
internal import InitWords

/// Selects the kept processes that are started if only a part of the manifest is executed (S28): a value.
///
/// An initializer needs its dependencies and the process that it names (`worker: NAME`). An initializer with `worker: true` doesn't name
/// the process that registers it, so it needs each process that may: those without `ready` that no initializer names. A process needs its
/// dependencies. A skipped initializer needs nothing.
struct ProcessSelection: Equatable {
  /// The chosen names, and the initializers that the needed processes are or need; empty if all are executed.
  private(set) var only: Set<String>
  /// Why a process without `ready` isn't started, by its name.
  private(set) var excluded: [String: SkipReason] = [:]

  private enum Need {
    case initializer(String)
    case process(String)
  }

  init(of configuration: SupervisorConfiguration) {
    let skipped = configuration.machine.skipped
    only = configuration.machine.only
    let started = only.isEmpty ? nil : Self.needs(of: only, in: configuration, adding: &only)
    for process in configuration.workers where process.policy.ready == nil {
      if skipped.contains(process.name) {
        excluded[process.name] = .requested
      } else if let started, !started.contains(process.name) {
        excluded[process.name] = .unselected
      }
    }
  }

  /// Returns the processes without `ready` that chosen names need; adds the initializers that needed processes are or need.
  private static func needs(
    of chosen: Set<String>, in configuration: SupervisorConfiguration, adding names: inout Set<String>
  ) -> Set<String> {
    let initializers = Dictionary(configuration.initializers.map { ($0.declaration.name, $0) }) { first, _ in first }
    let processes = Dictionary(configuration.workers.map { ($0.name, $0) }) { first, _ in first }
    let named = Set(configuration.initializers.compactMap(\.declaration.process))
    var unnamed = configuration.workers.filter { $0.policy.ready == nil && !named.contains($0.name) }.map(\.name)
    // A process without `ready` may have the name of an initializer.
    var open = chosen.flatMap { [Need.initializer($0), .process($0)] }
    var seen = configuration.machine.skipped
    var started = seen
    while let need = open.popLast() {
      switch need {
      case .initializer(let name):
        guard seen.insert(name).inserted, let each = initializers[name] else { continue }
        open += each.declaration.dependencies.map { .initializer($0) }
        if let process = each.declaration.process {
          open.append(.process(process))
        } else if each.kind == .worker {
          open += unnamed.map { .process($0) }
          unnamed = []
        }
      case .process(let name):
        guard let process = processes[name] else { continue }
        guard process.policy.ready == nil else {
          names.insert(name)
          open.append(.initializer(name))
          continue
        }
        guard started.insert(name).inserted else { continue }
        names.formUnion(process.dependencies)
        open += process.dependencies.map { .initializer($0) }
      }
    }
    return started
  }
}

extension SupervisorConfiguration {
  /// Applies the chosen and the skipped names to the processes, and to the initializers that those need (S28).
  package mutating func selectProcesses() {
    let selection = ProcessSelection(of: self)
    machine.only = selection.only
    for index in workers.indices { workers[index].exclusion = selection.excluded[workers[index].name] }
  }
}
