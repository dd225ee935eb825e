internal import InitText

/// Makes one tree of the files of a manifest.
///
/// It merges each file on top of its includes, and on top of the files before it. Then the values of `defaults` are added to the
/// initializers, the variables of environment files to the environments, and `${NAME}` is replaced. The result contains none of these keys
/// any more: `ManifestReader` reads it like one file.
///
/// Invariant. Each value keeps the position in its own file. At most `mostFiles` files are read, and `mostBytes` bytes of them.
struct ManifestComposer {
  /// The maximum number of files; a file that is included twice counts twice.
  static let mostFiles = 200
  /// The maximum number of bytes of all files.
  static let mostBytes = 4 << 20
  /// The maximum number of files that include each other in a row.
  static let deepest = 8

  var reader: ManifestReader
  /// What the caller chose.
  let files: ManifestFiles
  private let reading: ManifestFiles.Reading
  /// The absolute directory of each file, by its number in positions.
  private(set) var directories: [String] = []
  private var bytes = 0
  /// The variables of the environment files that have been read, by their paths; `nil` if it can't be read.
  var environmentFiles: [String: EnvironmentFile?] = [:]
  /// Whether a file has no tree, because it isn't YAML, or couldn't be read.
  private var lacksFile = false

  init(_ files: ManifestFiles, for purpose: Manifest.Purpose, reading: @escaping ManifestFiles.Reading) {
    reader = ManifestReader(findings: Findings(files: []), purpose: purpose, profiles: Set(files.profiles))
    self.files = files
    self.reading = reading
  }

  /// Returns the tree of these files; `nil` if there is none, or if a part of it is missing, which was reported.
  mutating func tree(of files: [(path: String, contents: ManifestFiles.Contents)]) -> YAMLNode? {
    var whole: YAMLNode?
    for (path, contents) in files {
      guard let tree = tree(of: path, contents, includedBy: []) else { continue }
      whole = merge(tree, on: whole)
    }
    guard !lacksFile, let whole else { return nil }
    for list in ManifestSection.lists + ["groups"] { reader.removals[list] = whole[list]?.removals }
    let isPlain = directories.count == 1 && whole["defaults"] == nil
    let complete = isPlain ? whole : withDefaults(whole).withoutRemoved()
    return expanded(complete)
  }

  /// Returns the tree of a file on top of its includes; `nil` if it isn't YAML.
  ///
  /// `path` is the name of the file in findings; the paths in the file are relative to it. `chain` has the directories and names of the
  /// files that include it.
  private mutating func tree(
    of path: String, _ contents: ManifestFiles.Contents, includedBy chain: [String]
  ) -> YAMLNode? {
    let file = begin(path, contents)
    guard let text = ManifestText(contents.bytes, file: file, &reader.findings) else {
      lacksFile = true
      return nil
    }
    let root = text.withYAML { yaml in YAMLReader.document(from: yaml, file: file, &reader.findings) }
    guard let root else {
      lacksFile = true
      return nil
    }
    let chain = chain + [Self.place(of: path, in: contents.directory)]
    var base: YAMLNode?
    for include in includes(of: root) {
      guard let tree = tree(of: include, of: path, includedBy: chain) else { continue }
      base = merge(tree, on: base)
    }
    return merge(root, on: base)
  }

  /// Returns a tree on top of another one.
  ///
  /// Reports what isn't a mapping in the lower one, and is a mapping in the upper one: it would be ignored.
  private mutating func merge(_ over: YAMLNode, on base: YAMLNode?) -> YAMLNode {
    guard let base else { return over }
    let over = spelled(over, as: base)
    for (path, node) in base.replaced(byMappingsOf: over) {
      let key = path.last
      reader.reportWrong(
        node, called: key.map(quoted) ?? "the manifest", wanted: "a mapping",
        example: key.map { "e.g. \(escaped($0)): { name: value }" } ?? "version: 1 and initializers")
    }
    return base.merged(with: over)
  }

  /// Returns a tree with the key of the processes as another one spells it, so they are merged.
  private func spelled(_ tree: YAMLNode, as base: YAMLNode) -> YAMLNode {
    guard case .mapping(var entries) = tree.content,
      let spelling = ManifestSection.listsOfProcesses.first(where: { base[$0] != nil }), tree[spelling] == nil
    else { return tree }
    for place in entries.indices where entries[place].key.text.map(ManifestSection.listsOfProcesses.contains) == true {
      let key = entries[place].key
      entries[place] = YAMLEntry(key.with(.scalar(spelling, isPlain: true)), entries[place].value)
    }
    return tree.with(.mapping(entries))
  }

  /// Returns the tree of an included file; `nil` if it can't be read, which is reported.
  private mutating func tree(of include: YAMLNode, of path: String, includedBy chain: [String]) -> YAMLNode? {
    guard let name = reader.path(include, in: "include", example: "include: [common.yaml]") else {
      lacksFile = true
      return nil
    }
    let target = Self.join(Self.directory(of: path), name)
    guard let contents = contents(of: target, at: include.position, in: "include") else {
      lacksFile = true
      return nil
    }
    var refusal: (problem: String, remedy: String)?
    if let first = chain.firstIndex(of: Self.place(of: target, in: contents.directory)) {
      let names = (chain[first...] + [chain[first]]).map { Self.name(of: $0) }
      refusal = ("circular include \(names.map(escaped).joined(separator: " -> "))", "remove one of these includes")
    } else if chain.count > Self.deepest {
      refusal = ("more than \(Self.deepest) files include each other in a row", "include fewer levels of files")
    }
    if let refusal {
      reader.findings.add(include.position, refusal.problem, refusal.remedy)
      lacksFile = true
      return nil
    }
    return tree(of: target, contents, includedBy: chain)
  }

  /// Returns the contents of a file that the list of this name has at a position; `nil` if they can't be had, which is reported.
  mutating func contents(of path: String, at position: Position, in list: String) -> ManifestFiles.Contents? {
    do throws(ManifestFiles.Unreadable) {
      let contents = try reading(path == "-" ? "./-" : path)
      if directories.count >= Self.mostFiles {
        reader.findings.add(
          position, "more than \(Self.mostFiles) files are named", "put them together in fewer files")
      } else if bytes + contents.bytes.count > Self.mostBytes {
        reader.findings.add(
          position, "all files are larger than \(Self.mostBytes >> 20) MiB together", "name fewer or shorter ones")
      } else {
        return contents
      }
    } catch {
      reader.findings.add(position, error.why, "create the file, or remove it from \(list)")
    }
    return nil
  }

  /// Begins a file; returns its number in positions.
  mutating func begin(_ path: String, _ contents: ManifestFiles.Contents) -> Int {
    directories.append(contents.directory)
    bytes += contents.bytes.count
    _ = reader.warnings.begin(path)
    return reader.findings.begin(path)
  }

  /// Returns the files that a file includes.
  private mutating func includes(of root: YAMLNode) -> [YAMLNode] {
    guard let include = root["include"] else { return [] }
    guard case .list(let elements) = include.content else {
      let name = include.text.map(escaped) ?? "common.yaml"
      reader.reportWrong(
        include, called: "\"include\"", wanted: "a list", example: "include: [\(include.isNull ? "common.yaml" : name)]"
      )
      lacksFile = true
      return []
    }
    return elements
  }
}

extension ManifestComposer {
  /// Returns the directory of a file, as text: empty for a plain file name.
  static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Returns a path in a directory; an absolute one stays as it is.
  static func join(_ directory: String, _ path: String) -> String {
    if path.hasPrefix("/") || directory.isEmpty { return path }
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// Returns the name of a file in its directory.
  private static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// Returns the identity of a file.
  private static func place(of path: String, in directory: String) -> String { join(directory, name(of: path)) }
}

extension ManifestReader {
  /// Reads an element of a list of paths; `nil` if it isn't one, which is reported.
  mutating func path(_ node: YAMLNode, in list: String, example: String) -> String? {
    guard let text = node.text, !node.isNull else {
      reportWrong(node, called: "an element of \(quoted(list))", wanted: "a path", example: example)
      return nil
    }
    guard !text.allSatisfy(\.isWhitespace) else {
      findings.add(node.position, "an element of \(quoted(list)) is empty", "write \(example)")
      return nil
    }
    return isPassable(text, at: node.position) ? text : nil
  }
}
