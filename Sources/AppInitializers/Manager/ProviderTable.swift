internal import InitCore

/// The providers of the initializers that a manager was created with.
struct ProviderTable {
  /// By the index of the initializer; `nil` if a worker must provide it.
  private let providers: [(any InitializerProvider)?]

  /// Creates the table from the providers of the objects, which were declared first, and those of the other declarations.
  init(
    _ objects: [ObjectProvider], _ others: [(any InitializerProvider)?], of names: some Sequence<String>,
    in machine: Machine
  ) {
    var providers: [(any InitializerProvider)?] = []
    providers.reserveCapacity(objects.count + others.count)
    for object in objects { providers.append(object) }
    providers += others
    self.providers = machine.indexed(providers, of: names)
  }

  /// Returns the provider of an initializer; `nil` if it has none here.
  subscript(start: RunStart) -> (any InitializerProvider)? {
    guard let index = start.index?.rawValue, index < providers.count else { return nil }
    return providers[index]
  }
}
