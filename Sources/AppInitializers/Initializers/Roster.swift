internal import InitCore

/// The Swift objects of a manager: their names, and the objects that a type means.
struct Roster: Sendable {
  /// The names of the objects, in order.
  private(set) var names: [String] = []
  private var types: [any AppInitializer.Type] = []
  /// The indexes of the objects of each type.
  private var indexes: [ObjectIdentifier: [Range<Int>]] = [:]

  init() {}

  init(_ objects: [any AppInitializer]) {
    types = objects.map(Self.type(of:))
    names = Self.names(of: objects, types)
    var start = 0
    while start < types.count {
      // Often many objects in a row have one type.
      let end = types[start...].firstIndex { $0 != types[start] } ?? types.count
      indexes[ObjectIdentifier(types[start]), default: []].append(start..<end)
      start = end
    }
  }

  mutating func add(_ type: any AppInitializer.Type, named name: String) {
    indexes[ObjectIdentifier(type), default: []].append(names.count..<names.count + 1)
    names.append(name)
    types.append(type)
  }

  /// Returns whether the roster has an object of exactly that type.
  func has(_ type: any AppInitializer.Type) -> Bool { indexes[ObjectIdentifier(type)] != nil }

  /// Returns the type of the first object of that name.
  func type(named name: String) -> (any AppInitializer.Type)? { names.firstIndex(of: name).map { types[$0] } }

  /// Returns the names of the objects that a type means: those of exactly that type, otherwise those of its subclasses.
  func names(of type: any AppInitializer.Type) -> [String] {
    if let indexes = indexes[ObjectIdentifier(type)] { return indexes.flatMap { names[$0] } }
    return zip(types, names).filter { Self.isSubclass($0.0, of: type) }.map(\.1)
  }

  /// Returns the declarations of the objects.
  ///
  /// The objects must belong to the roster.
  ///
  /// `others` are the names of initializers that aren't objects.
  func declarations(of objects: [any AppInitializer], others: [String] = []) -> [Declaration] {
    // Few graphs need it.
    lazy var taken = Set(names).union(others)
    var meant: [ObjectIdentifier: [String]] = [:]
    func resolve(_ type: any AppInitializer.Type) -> [String] {
      if let names = meant[ObjectIdentifier(type)] { return names }
      var names = names(of: type)
      if names.isEmpty { names = [Self.absentName(of: type, taken)] }
      meant[ObjectIdentifier(type)] = names
      return names
    }
    return objects.indices.map { index in
      let object = objects[index]
      let name = names[index]
      var named: [String] = []
      for type in object.dependencies {
        let names = resolve(type)
        // A subclass that depends on its own superclass doesn't depend on itself.
        let isOwn = type != types[index] && !has(type)
        let others = isOwn ? names.filter { $0 != name } : names
        named += others.isEmpty ? [Self.absentName(of: type, taken)] : others
      }
      return Declaration(
        name, priority: object.priority.corePriority,
        dependencies: named.isEmpty ? object.dependencyNames : named + object.dependencyNames,
        timeout: object.timeout, retry: object.retry.corePolicy, isOptional: object.isOptional, hasStop: true)
    }
  }

  /// Returns a name for a type without an object.
  ///
  /// It differs from all other names, so the dependency stays missing.
  private static func absentName(of type: any AppInitializer.Type, _ taken: Set<String>) -> String {
    let name = TypeName.qualified(type)
    return taken.contains(name) ? "\(name) (the type)" : name
  }

  /// Returns the type of an object; for a stand-in, the type that it replaces.
  private static func type(of object: any AppInitializer) -> any AppInitializer.Type {
    (object as? StandIn)?.type ?? Swift.type(of: object)
  }

  private static func isSubclass<Base: AppInitializer>(_ type: any AppInitializer.Type, of base: Base.Type) -> Bool {
    type is Base.Type
  }

  /// Returns the names of the objects: the declared names, otherwise as much of their types' names as is needed to distinguish them.
  private static func names(of objects: [any AppInitializer], _ types: [any AppInitializer.Type]) -> [String] {
    let said = objects.map(\.name)
    var shorts = ByType<String>()
    /// Returns whether an object's name is the short name of its type.
    func isShort(_ index: Int) -> Bool {
      said[index] == shorts.value(of: types[index]) { TypeName.short(types[index]) }
    }
    var groups: [String: [any AppInitializer.Type]] = [:]
    for (index, type) in types.enumerated() where isShort(index) {
      let name = said[index]
      if groups[name]?.contains(where: { $0 == type }) != true { groups[name, default: []].append(type) }
    }
    // The declared names that aren't names of types.
    lazy var own = Set(said.indices.filter { !isShort($0) }.map { said[$0] })
    var shown: [ObjectIdentifier: String] = [:]
    for (short, group) in groups where group.count > 1 || own.contains(short) {
      for (type, name) in zip(group, distinctNames(of: group, taken: own)) { shown[ObjectIdentifier(type)] = name }
    }
    guard !shown.isEmpty else { return said }
    return said.indices.map { index in
      isShort(index) ? shown[ObjectIdentifier(types[index])] ?? said[index] : said[index]
    }
  }

  private static func distinctNames(of types: [any AppInitializer.Type], taken: Set<String>) -> [String] {
    let parts = types.map(TypeName.parts)
    func end(_ type: Int, _ count: Int) -> String { parts[type].suffix(count).joined(separator: ".") }
    return types.indices.map { type in
      let counts = 2..<max(3, parts[type].count + 1)
      let fitting = counts.first { count in
        let name = end(type, count)
        return !taken.contains(name) && types.indices.allSatisfy { $0 == type || end($0, count) != name }
      }
      // Types that are private to functions or files of one module can have identical qualified names.
      return fitting.map { end(type, $0) } ?? "\(end(type, parts[type].count))-\(type + 1)"
    }
  }
}
