internal import InitCore
package import InitDeclarations
internal import InitWords

/// A checked `init.yaml`: every name is valid, every dependency is declared, and there is no cycle.
package struct Manifest: Hashable, Sendable {
  /// The name of its file, for findings; of several files, the first one.
  ///
  /// Relative paths start at the manifest's directory.
  package let file: String
  /// The files of the manifest, without their includes.
  package internal(set) var paths: [String]
  /// All files that were read, by their number in positions.
  package internal(set) var files: [String]
  /// The hashes of the contents of all files, by path; empty if the reader doesn't tell them.
  package var digests: [String: String] = [:]
  /// The whole manifest as one file, if it was asked for.
  package internal(set) var resolved: String?
  /// The keys of the settings that are written.
  package internal(set) var given: Set<String> = []
  /// The settings, with the defaults of what isn't written.
  package internal(set) var settings = DeclaredSettings(machine: Machine.Configuration())
  /// The initializers in the order written, which is the order of registration (S6).
  package internal(set) var initializers: [Entry<DeclaredInitializer>] = []
  /// The processes to start and keep running, in the order written.
  package internal(set) var workers: [Entry<DeclaredWorker>] = []
  /// The profiles of all initializers and processes, selected or not.
  package internal(set) var profiles: Set<String> = []
  /// Warnings about valid but probably unintended parts, in the order of the text.
  package internal(set) var warnings: [Finding] = []

  init(file: String) {
    self.file = file
    paths = [file]
    files = [file]
  }

  /// Returns a finding at a position of one of its files.
  package func finding(at position: Position, problem: String, remedy: String) -> Finding {
    Finding(file: files[position.file], at: position, problem: problem, remedy: remedy)
  }
}

extension Manifest {
  /// What a manifest is for; other keys are allowed in each.
  package enum Purpose: Sendable {
    /// A supervisor (`init.yaml`).
    case supervisor
    /// A worker that runs commands (`initctl worker --config`).
    ///
    /// The initializers of a worker's manifest may depend on initializers outside of it.
    case worker
  }

  /// An entry of `initializers` or `workers`: what it declares, with the members of that, and where it stands.
  @dynamicMemberLookup
  package struct Entry<Declared: Sendable>: Sendable {
    /// What it declares; paths are as written.
    package internal(set) var declared: Declared
    /// The description.
    package internal(set) var description: String?
    /// The profiles that select the entry; without profiles, it is always selected.
    package internal(set) var profiles: [String] = []
    /// The keys that are given, with the positions of their values; that of a program if it is a list.
    package internal(set) var given: [String: Position] = [:]
    /// The commands that are written as a text, for the shell, by key.
    package internal(set) var texts: Set<String> = []
    /// The position of the name.
    package let position: Position
    /// The positions of the names of initializers that its keys list, by key.
    var namePositions: [String: [Position]] = [:]
    /// The references to outputs and ports in its texts.
    var references: [WrittenReference] = []
    /// The positions of the inputs.
    package internal(set) var inputPositions: [Position] = []

    init(_ declared: Declared, at position: Position) {
      self.declared = declared
      self.position = position
    }

    package subscript<Member>(dynamicMember member: KeyPath<Declared, Member>) -> Member { declared[keyPath: member] }
  }

  /// Where an initializer runs once.
  package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// On one host of the fleet.
    case fleet
    /// On this host, over restarts of the system.
    case ever
  }

  /// Decides which output of a command or a process goes to the log, regardless of the supervisor's settings.
  package enum Output: String, Hashable, Sendable, CaseIterable {
    /// Every line.
    case all
  }

  /// Decides which output of all commands and processes goes to the log.
  package enum OutputInLog: String, Hashable, Sendable, CaseIterable {
    case all, failed, none
  }

  /// Decides what happens to the dependents of a process that has ended after it was ready.
  package enum OnRestart: String, Hashable, Sendable, CaseIterable {
    /// The dependents become stale (S26).
    case ignore
    /// The dependents run again once the process is ready.
    case rerun
  }
}

// These conformances are extensions for the reason given in Box.
extension Manifest.Entry: Equatable where Declared: Equatable {}
extension Manifest.Entry: Hashable where Declared: Hashable {}
