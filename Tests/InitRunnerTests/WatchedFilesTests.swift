import Glibc
import InitCore
import TestSupport
import Testing

@testable import InitRunner
@testable import Platform

@Suite("S40: the files that are watched")
struct WatchedFilesTests {
  let directory = TemporaryDirectory()

  private func target(_ patterns: String...) -> WatchedFiles.Target {
    WatchedFiles.Target(patterns.map { InputPattern($0) }, in: directory.path)
  }

  private func reading(_ target: WatchedFiles.Target, after earlier: WatchedFiles? = nil) throws -> WatchedFiles {
    try #require(try WatchedFiles.reading(target, after: earlier) { false })
  }

  @Test("S40: other contents are a change, a touched file isn't")
  func contents() throws {
    mkdir(directory["src"], 0o700)
    directory.write("src/a.py", "1")
    directory.write("src/b.py", "1")
    let before = try reading(target("src"))
    directory.write("src/a.py", "2")
    utimes(directory["src/b.py"], nil)
    let after = try reading(target("src"), after: before)
    #expect(after.differences(from: before) == ["src/a.py"])
    directory.write("src/c.py", "3")
    unlink(directory["src/b.py"])
    #expect(try reading(target("src"), after: after).differences(from: after) == ["src/b.py", "src/c.py"])
  }

  @Test("S40: a file that was found and not read yet has changed if it isn't the same file any more")
  func unread() throws {
    directory.write("a", "1")
    let found = try WatchedFiles(of: target("a"))
    #expect(try reading(target("a"), after: found).differences(from: found) == [])
    unlink(directory["a"])
    directory.write("a", "22")
    #expect(try reading(target("a"), after: found).differences(from: found) == ["a"])
  }

  @Test("S40: files that editors keep beside the edited one don't count in a directory")
  func editors() throws {
    mkdir(directory["src"], 0o700)
    directory.write("src/a.py", "1")
    let before = try reading(target("src"))
    for name in [".a.py.swp", "a.py~", ".#a.py", "#a.py#", "4913"] { directory.write("src/\(name)", name) }
    #expect(try reading(target("src"), after: before).differences(from: before) == [])
    directory.write("src/.env", "1")
    #expect(try reading(target("src"), after: before).differences(from: before) == ["src/.env"])
  }

  @Test("S40: the directories in which a change shows, and the names that matter in each")
  func places() throws {
    mkdir(directory["src"], 0o700)
    mkdir(directory["src/x"], 0o700)
    directory.write("src/x/a.py", "1")
    let files = try WatchedFiles(of: target("src/**/*.py", "later/b"))
    let root = directory.path
    #expect(files.places[root] == [.name("src"), .name("later")])
    #expect(files.places[root + "/src"] == [.directories, .matching(NamePattern("*.py"))])
    #expect(files.places[root + "/src/x"] == [.directories, .matching(NamePattern("*.py"))])
    // It doesn't exist yet.
    #expect(files.places[root + "/later"] == [.name("b")])
    #expect(files.patterns[root + "/src/x"]?.description == "src/**/*.py")
  }

  @Test("S40: the names that matter")
  func names() {
    #expect(InputNames.name("a").contain("a") { false })
    #expect(!InputNames.name("a").contain("b") { true })
    #expect(InputNames.matching(NamePattern("*.py")).contain("a.py") { false })
    #expect(!InputNames.matching(NamePattern("*.py")).contain("a.sh") { true })
    #expect(InputNames.directories.contain("x") { true })
    #expect(!InputNames.directories.contain("x") { false })
    #expect(!InputNames.directories.contain(".git") { true })
    #expect(InputNames.all.contain(".env") { false })
    #expect(!InputNames.all.contain("a.py~") { false })
  }

  @Test("S40: what a link leads to is watched where it is")
  func links() throws {
    mkdir(directory["v1"], 0o700)
    directory.write("v1/app.yaml", "1")
    symlink("v1/app.yaml", directory["app.yaml"])
    let before = try reading(target("app.yaml"))
    let real = try #require(realpath(directory["v1"], nil))
    defer { free(real) }
    #expect(before.places[String(cString: real)] == [.name("app.yaml")])
    directory.write("v1/app.yaml", "2")
    #expect(try reading(target("app.yaml"), after: before).differences(from: before) == ["app.yaml"])
  }

  @Test("S40: files that can't be read count as empty until they can")
  func unreadable() throws {
    // Nobody can read it at its start, not even root.
    symlink("/proc/self/mem", directory["a"])
    let before = try reading(target("a"))
    unlink(directory["a"])
    symlink("/proc/thread-self/mem", directory["a"])
    let other = try reading(target("a"), after: before)
    #expect(other.differences(from: before) == [])
    unlink(directory["a"])
    directory.write("a", "1")
    #expect(try reading(target("a"), after: other).differences(from: other) == ["a"])
  }

  @Test("S40: patterns of too many files name the pattern")
  func tooMany() throws {
    for depth in 1...70 { mkdir(directory[String(repeating: "d/", count: depth)], 0o700) }
    let problem = #expect(throws: WatchedFiles.Problem.self) { try WatchedFiles(of: target("d")) }
    #expect(problem?.pattern.description == "d")
    #expect(problem?.cause == .tooMany)
  }
}
