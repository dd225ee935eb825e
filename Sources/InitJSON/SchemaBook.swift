/// The definitions of shapes, made of the members that their `visit` lists: a JSON Schema.
public final class SchemaBook {
  /// The form of a value.
  public indirect enum Form: Equatable, Sendable {
    case anything
    /// An object whose members are named freely, with values of this form.
    case object(Form)
    case string, integer, number, boolean
    case array(Form)
    /// One of these strings; an open list may grow in later versions.
    case words([String], isOpen: Bool)
    /// A shape with a definition of this name.
    case shape(String)
  }

  /// Which messages have a member.
  public enum Presence: Equatable, Sendable {
    /// All: a shape without it can't be read.
    case required
    /// All, except for those of an earlier version.
    case sent
    /// Those that have a value for it.
    case optional
  }

  /// A member of a shape.
  public struct Member: Equatable, Sendable {
    /// The name.
    public let name: String
    /// The form of its value.
    public let form: Form
    /// Which messages have it.
    public let presence: Presence
  }

  /// The definition of a shape.
  public struct Definition: Equatable, Sendable {
    /// The name of the type, without its module.
    public let name: String
    /// The members, in the order in which they are written; those before the variants, if it has any.
    public var members: [Member] = []
    /// The names of the definitions of which a value has one; empty if it has no variants.
    public var variants: [String] = []
  }

  /// All definitions, a shape before those that it consists of.
  public private(set) var definitions: [Definition] = []
  /// The positions of the definitions that are being made, the innermost last.
  private var open: [Int] = []

  /// Creates a book without definitions.
  public init() {}

  /// Defines a shape, and all shapes that it consists of, unless they are defined already.
  ///
  /// Returns its form.
  public func define<Value: Shape>(_: Value.Type) -> Form {
    let name = Self.name(of: Value.self)
    guard !definitions.contains(where: { $0.name == name }) else { return .shape(name) }
    define(name, members: []) { members throws(ShapeFault) in
      var shape = Value()
      try shape.visit(&members)
    }
    return .shape(name)
  }

  /// The name of a type without its module, for example `Pass.Run`.
  private static func name(of type: any Shape.Type) -> String {
    let whole = String(reflecting: type)
    return whole.firstIndex(of: ".").map { String(whole[whole.index(after: $0)...]) } ?? whole
  }

  private func define(
    _ name: String, members: [Member], _ visit: (inout Members) throws(ShapeFault) -> Void
  ) {
    open.append(definitions.count)
    definitions.append(Definition(name: name, members: members))
    var members = Members(describing: self)
    do throws(ShapeFault) {
      try visit(&members)
    } catch {
      preconditionFailure("\(name): nothing is read or written, but \(error)")
    }
    open.removeLast()
  }

  /// Adds a member to the definition that is being made.
  @usableFromInline func add(_ name: StaticString, _ form: Form, _ presence: Presence) {
    guard let index = open.last else { return }
    definitions[index].members.append(Member(name: "\(name)", form: form, presence: presence))
  }

  /// Adds a variant to the definition that is being made: it has the members so far, and those that `visit` lists.
  func addVariant(
    _ member: String, _ word: String, _ visit: (inout Members) throws(ShapeFault) -> Void
  ) {
    guard let index = open.last else { return }
    let name = "\(definitions[index].name).\(word)"
    definitions[index].variants.append(name)
    let common = definitions[index].members.map { each in
      each.name == member ? Member(name: member, form: .words([word], isOpen: false), presence: .required) : each
    }
    define(name, members: common, visit)
  }
}

extension SchemaBook {
  /// Writes a definition as a member of `$defs` of a JSON Schema.
  ///
  /// Unknown members are allowed everywhere: later versions add some. The keyword `sent` lists the members that every message has, except
  /// for those of an earlier version.
  public func write(_ definition: Definition, to writer: inout JSONWriter) {
    writer.key(named: definition.name)
    writer.object { writer in
      guard definition.variants.isEmpty else {
        writer.key("anyOf")
        return writer.array { writer in for name in definition.variants { Self.write(.shape(name), to: &writer) } }
      }
      writer.key("type")
      writer.string("object")
      writer.key("properties")
      writer.object { writer in
        for member in definition.members {
          writer.key(named: member.name)
          Self.write(member.form, to: &writer)
        }
      }
      for (keyword, presence) in [("required", Presence.required), ("sent", .sent)] {
        let names = definition.members.filter { $0.presence == presence }.map(\.name)
        guard !names.isEmpty else { continue }
        writer.key(named: keyword)
        writer.array { writer in for name in names { writer.string(name) } }
      }
    }
  }

  /// Writes the schema of a value.
  public static func write(_ form: Form, to writer: inout JSONWriter) {
    writer.object { writer in
      func type(_ name: String) {
        writer.key("type")
        writer.string(name)
      }
      switch form {
      case .anything: break
      case .object(let value):
        type("object")
        guard value != .anything else { break }
        writer.key("additionalProperties")
        write(value, to: &writer)
      case .string: type("string")
      case .integer: type("integer")
      case .number: type("number")
      case .boolean: type("boolean")
      case .array(let element):
        type("array")
        writer.key("items")
        write(element, to: &writer)
      case .words(let words, let isOpen):
        type("string")
        writer.key(isOpen ? "examples" : "enum")
        writer.array { writer in for word in words { writer.string(word) } }
      case .shape(let name):
        writer.key("$ref")
        writer.string("#/$defs/\(name)")
      }
    }
  }
}
