internal import InitCore

/// The Swift objects of a manager: their names, and which of them a type means.
struct Roster: Sendable {
  private struct Member {
    let type: any AppInitializer.Type
    let name: String
  }

  private var members: [Member] = []
  private var byType: [ObjectIdentifier: [String]] = [:]

  init() {}

  init(_ objects: [any AppInitializer]) {
    let types = objects.map(Self.type(of:))
    let names = Self.names(of: objects, types)
    members = zip(types, names).map(Member.init)
    var start = 0
    while start < types.count {
      // Often many objects in a row have one type.
      let end = types[start...].firstIndex { $0 != types[start] } ?? types.count
      byType[ObjectIdentifier(types[start]), default: []] += names[start..<end]
      start = end
    }
  }

  mutating func add(_ type: any AppInitializer.Type, named name: String) {
    members.append(Member(type: type, name: name))
    byType[ObjectIdentifier(type), default: []].append(name)
  }

  /// The names of the objects, in order.
  var names: [String] { members.map(\.name) }

  /// Whether it has an object of exactly that type.
  func has(_ type: any AppInitializer.Type) -> Bool { byType[ObjectIdentifier(type)] != nil }

  /// The type of the first object of that name.
  func type(named name: String) -> (any AppInitializer.Type)? { members.first { $0.name == name }?.type }

  /// The names of the objects that a type means: those of exactly that type, else those of its subclasses.
  func names(of type: any AppInitializer.Type) -> [String] {
    if let names = byType[ObjectIdentifier(type)] { return names }
    return members.filter { Self.isSubclass($0.type, of: type) }.map(\.name)
  }

  /// The declarations of the objects. The objects must be those of the roster.
  ///
  /// - Parameter others: the names of initializers that aren't objects.
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
    return zip(objects, members).map { object, member in
      var named: [String] = []
      for type in object.dependencies {
        let names = resolve(type)
        // A subclass that depends on its own superclass doesn't depend on itself.
        let isOwn = ObjectIdentifier(type) != ObjectIdentifier(member.type) && byType[ObjectIdentifier(type)] == nil
        let others = isOwn ? names.filter { $0 != member.name } : names
        named += others.isEmpty ? [Self.absentName(of: type, taken)] : others
      }
      return Declaration(
        member.name, priority: object.priority.corePriority,
        dependencies: named.isEmpty ? object.dependencyNames : named + object.dependencyNames,
        timeout: object.timeout, retry: object.retry.corePolicy, isOptional: object.isOptional, hasStop: true)
    }
  }

  /// The name of a type without an object; it differs from all other names, so that the dependency stays missing.
  private static func absentName(of type: any AppInitializer.Type, _ taken: Set<String>) -> String {
    let name = TypeName.qualified(type)
    return taken.contains(name) ? "\(name) (the type)" : name
  }

  /// The type that an object stands for: its own, unless it is a stand-in.
  private static func type(of object: any AppInitializer) -> any AppInitializer.Type {
    (object as? StandIn)?.type ?? Swift.type(of: object)
  }

  private static func isSubclass<Base: AppInitializer>(_ type: any AppInitializer.Type, of base: Base.Type) -> Bool {
    type is Base.Type
  }

  /// The names of the objects: those that they declare, else as much of their types' names as distinguishes the types.
  private static func names(of objects: [any AppInitializer], _ types: [any AppInitializer.Type]) -> [String] {
    let said = objects.map(\.name)
    let shorts = shortNames(of: types)
    var groups: [String: [any AppInitializer.Type]] = [:]
    for (place, type) in types.enumerated() where said[place] == shorts[place] {
      let name = said[place]
      if groups[name]?.contains(where: { $0 == type }) != true { groups[name, default: []].append(type) }
    }
    // The names that aren't those of types.
    lazy var own = Set(zip(said, shorts).lazy.filter { $0 != $1 }.map(\.0))
    var shown: [ObjectIdentifier: String] = [:]
    for (short, group) in groups where group.count > 1 || own.contains(short) {
      for (type, name) in zip(group, distinctNames(of: group, taken: own)) { shown[ObjectIdentifier(type)] = name }
    }
    guard !shown.isEmpty else { return said }
    return said.indices.map { place in
      said[place] == shorts[place] ? shown[ObjectIdentifier(types[place])] ?? said[place] : said[place]
    }
  }

  /// The short names of types, each of which is computed once.
  private static func shortNames(of types: [any AppInitializer.Type]) -> [String] {
    var known = ByType<String>()
    return types.map { type in known.value(of: type) { TypeName.short(type) } }
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
