import Glibc
import InitCore
import TestSupport
import Testing

@testable import InitRunner
@testable import Platform

@Suite("S30: input files")
struct InputFilesTests {
  let directory = TemporaryDirectory()

  private func write(_ names: String...) {
    for name in names {
      var path = ""
      for part in name.split(separator: "/").dropLast() {
        path += "\(part)/"
        mkdir(directory[path], 0o700)
      }
      directory.write(name, name)
    }
  }

  private func files(_ inputs: String...) throws(InputFiles.Problem) -> InputFiles {
    try InputFiles(Freshness(inputs: inputs.map { InputPattern($0) }, directory: directory.path))
  }

  private func hash(_ inputs: String...) throws(InputFiles.Problem) -> String {
    var hash = SHA256()
    try InputFiles(Freshness(inputs: inputs.map { InputPattern($0) }, directory: directory.path)).hash(into: &hash)
    return hash.hexDigest
  }

  @Test("S30: patterns are files in the order of their paths, each once, relative to the manifest's directory")
  func patterns() throws {
    write(
      "m/2.sql", "m/10.sql", "m/.1.sql", "m/readme", "migrate", "src/a.py", "src/x/b.py", "src/x/y/c.py", "src/.v/d.py")
    #expect(try files("m/*.sql", "./migrate", "m/1?.sql").paths == ["m/10.sql", "m/2.sql", "migrate"])
    #expect(try files("src/**/*.py").paths == ["src/a.py", "src/x/b.py", "src/x/y/c.py"])
    #expect(try files("**/c.py").paths == ["src/x/y/c.py"])
    #expect(try files("*/[a-b].py").paths == ["src/a.py"])
    #expect(try files("src/x/../a.py").paths == ["src/x/../a.py"])
    let absolute = directory["m/*.sql"]
    #expect(try files(absolute).paths == [directory["m/10.sql"], directory["m/2.sql"]])
  }

  @Test("S30: a directory is all files in it, without those behind links to directories")
  func directories() throws {
    write("src/a", "src/.b", "src/x/c", "out/d")
    symlink("../out", directory["src/out"])
    symlink("../out/d", directory["src/d"])
    symlink("nowhere", directory["src/broken"])
    mkfifo(directory["src/fifo"], 0o600)
    symlink("src", directory["link"])
    #expect(try files("src").paths == ["src/.b", "src/a", "src/d", "src/x/c"])
    #expect(try files("src/**").paths == files("src").paths)
    #expect(try files("link").paths.count == 4)
    #expect(try files("src/out/*").paths == ["src/out/d"])
    mkdir(directory["empty"], 0o700)
    #expect(try files("empty").paths == [])
  }

  @Test("S30: a pattern without a file is a problem, and so are other kinds of files")
  func problems() {
    write("file", "m/readme")
    mkfifo(directory["fifo"], 0o600)
    symlink("loop", directory["loop"])
    for (input, problem) in [
      ("nothing", InputFiles.Problem.none("nothing")), ("m/*.sql", .none("m/*.sql")), ("file/x", .none("file/x")),
      ("file/*", .none("file/*")), ("fifo", .unreadable("fifo", "it is a named pipe")),
      ("loop", .unreadable("loop", SystemError.reason(of: ELOOP))),
    ] {
      #expect(throws: problem, "\(input)") { try files(input) }
    }
  }

  @Test("S30: the hash changes with contents, names and numbers of files, and with nothing else")
  func hashes() throws {
    write("m/1.sql", "m/2.sql")
    let before = try hash("m/*.sql")
    #expect(try hash("m/*.sql", "m/1.sql") == before)
    // Time stamps and permissions don't count.
    directory.write("m/1.sql", "m/1.sql")
    chmod(directory["m/1.sql"], 0o755)
    #expect(try hash("m/*.sql") == before)
    directory.write("m/1.sql", "m/1.sqL")
    #expect(try hash("m/*.sql") != before)
    directory.write("m/1.sql", "m/1.sql")
    write("m/3.sql")
    #expect(try hash("m/*.sql") != before)
    rename(directory["m/3.sql"], directory["m/3"])
    #expect(try hash("m/*.sql") == before)
    // The contents stay in the same order.
    rename(directory["m/2.sql"], directory["m/9.sql"])
    #expect(try hash("m/*.sql") != before)
  }

  @Test("S30: the files, the names and the bytes are bounded, and reading ends when the supervisor does")
  func bounds() throws {
    for number in 0...InputFiles.mostFiles {
      close(open(directory["\(number)"], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    }
    #expect(throws: InputFiles.Problem.tooMany) { try files("*") }
    unlink(directory["0"])
    #expect(try files("*").paths.count == InputFiles.mostFiles)
    let large = Descriptor(owning: open(directory["large"], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    #expect(ftruncate(large.number, off_t(InputFiles.mostBytes)) == 0)
    var isStopped = false
    let freshness = Freshness(inputs: [InputPattern("large")], directory: directory.path)
    let stopped = try InputFiles(freshness) { isStopped }
    isStopped = true
    var hash = SHA256()
    #expect(throws: InputFiles.Problem.stopped) { try stopped.hash(into: &hash) }
    // Nothing of files that are too large is read.
    #expect(ftruncate(large.number, off_t(InputFiles.mostBytes) + 1) == 0)
    #expect(throws: InputFiles.Problem.tooLarge) { try stopped.hash(into: &hash) }
    #expect(throws: InputFiles.Problem.stopped) {
      try InputFiles(Freshness(inputs: [InputPattern("*")], directory: directory.path)) { true }
    }
  }
}
