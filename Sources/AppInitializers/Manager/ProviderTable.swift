internal import InitCore

/// The providers of the initializers that a manager was created with.
struct ProviderTable {
  /// The providers by the index of the initializer; `nil` if a worker must provide it.
  private let providers: [(any InitializerProvider)?]
  /// The providers by name, once a reload has changed the indexes (S27).
  private var byName: [String: any InitializerProvider]?

  /// Creates the table from the providers of the objects, which were declared first, and the providers of the other declarations.
  init(
    _ objects: [ObjectProvider], _ others: [(any InitializerProvider)?], of names: [String],
    in machine: Machine
  ) {
    var providers: [(any InitializerProvider)?] = []
    providers.reserveCapacity(objects.count + others.count)
    for object in objects { providers.append(object) }
    providers += others
    self.providers = machine.indexed(providers, of: names)
  }

  /// Replaces and removes providers, after a reload.
  ///
  /// `names` are the names of the initializers before the reload, by index.
  mutating func change(_ names: [String], removing removed: [String], to changes: [String: (any InitializerProvider)?])
  {
    var all = byName ?? [:]
    if byName == nil { for (name, provider) in zip(names, providers) { all[name] = provider } }
    for name in removed { all[name] = nil }
    for (name, provider) in changes { all[name] = provider }
    byName = all
  }

  /// Returns the provider of an initializer; `nil` if it has none here.
  subscript(start: RunStart) -> (any InitializerProvider)? {
    if let byName { return byName[start.initializer] }
    guard let index = start.index?.rawValue, index < providers.count else { return nil }
    return providers[index]
  }
}
