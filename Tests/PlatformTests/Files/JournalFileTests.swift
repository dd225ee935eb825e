import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("JournalFile")
struct JournalFileTests {
  let directory = TemporaryDirectory()

  private func text(_ name: String) -> String {
    let file = Descriptor(owning: open(directory[name], O_RDONLY | O_CLOEXEC))
    return file.readToEnd()
  }

  private func failure(in path: String) -> JournalError? {
    do throws(JournalError) {
      _ = try JournalFile("j", in: path, limit: 100)
      return nil
    } catch { return error }
  }

  @Test("Written lines are read by the next owner, and only one process owns the file at a time")
  func kept() throws {
    var journal: JournalFile? = try JournalFile("j", in: directory["new"], limit: 100)
    #expect(journal?.contents == nil)
    try journal?.replace(with: Array("a\n".utf8))
    try journal?.append(Array("b\n".utf8))
    #expect(failure(in: directory["new"]) == .inUse(directory["new"], pid: getpid()))
    journal = nil
    let next = try JournalFile("j", in: directory["new"], limit: 100)
    #expect(next.contents == Array("a\nb\n".utf8))
    try next.replace(with: Array("c\n".utf8))
    #expect(text("new/j") == "c\n")
  }

  @Test(
    "After an incomplete line no line is appended until the whole file is rewritten; a failed rewrite leaves nothing"
  )
  func torn() throws {
    let journal = try JournalFile("j", in: directory.path, limit: 100)
    try journal.replace(with: Array("a\n".utf8))
    _ = FaultInjection.refusing([1], with: ENOSPC) {
      #expect(throws: SystemError.self) { try journal.append(Array("b\n".utf8)) }
    }
    #expect(throws: SystemError.self) { try journal.append(Array("c\n".utf8)) }
    #expect(text("j") == "a\n")
    var number = 0
    repeat {
      number += 1
      _ = FaultInjection.refusing([number], with: ENOSPC) { try? journal.replace(with: Array("d\n".utf8)) }
      #expect(!directory.names.contains("j.new"), "call \(number)")
    } while text("j") == "a\n" && number < 10
    #expect(number > 2)
    try journal.append(Array("e\n".utf8))
    #expect(text("j") == "d\ne\n" && journal.size == 4)
  }

  @Test("Only the owner has access to the directory and the file")
  func modes() throws {
    let journal = try JournalFile("j", in: directory["new"], limit: 100)
    try journal.replace(with: [])
    for (name, mode) in [("new", mode_t(0o700)), ("new/j", 0o600)] {
      var status = stat()
      #expect(stat(directory[name], &status) == 0)
      #expect(status.st_mode & 0o777 & ~mode == 0, "\(name)")
    }
  }

  @Test(
    "A file at the temporary name is replaced: a pipe doesn't block the write, and a hard-linked file is unchanged"
  )
  func inTheWay() throws {
    let journal = try JournalFile("j", in: directory.path, limit: 100)
    #expect(mkfifo(directory["j.new"], 0o600) == 0)
    try journal.replace(with: Array("a\n".utf8))
    directory.write("other", "precious")
    #expect(link(directory["other"], directory["j.new"]) == 0)
    try journal.replace(with: Array("b\n".utf8))
    #expect(text("other") == "precious")
    #expect(text("j") == "b\n")
  }

  @Test("At most `limit` bytes are read")
  func bounded() throws {
    directory.write("j", "0123456789")
    #expect(try JournalFile("j", in: directory.path, limit: 4).contents == Array("0123".utf8))
  }

  @Test("A file that is put aside is renamed, and its own name is free")
  func aside() throws {
    directory.write("j", "broken")
    let journal = try JournalFile("j", in: directory.path, limit: 100)
    #expect(try journal.putAside() == directory["j.damaged"])
    #expect(text("j.damaged") == "broken")
    try journal.replace(with: Array("new\n".utf8))
    #expect(text("j") == "new\n")
  }

  @Test("A file that others may write isn't trusted, and can be put aside")
  func doubted() throws {
    directory.write("j", "a\n", mode: 0o600)
    #expect(try JournalFile("j", in: directory.path, limit: 100).doubt == nil)
    for mode in [mode_t(0o620), 0o602, 0o666] {
      directory.write("j", "a\n", mode: mode)
      let journal = try JournalFile("j", in: directory.path, limit: 100)
      #expect(journal.contents == nil)
      #expect(journal.doubt == "other users may write in it (mode \(String(mode, radix: 8)))")
      #expect(try journal.putAside() == directory["j.damaged"])
    }
  }

  @Test("A removed file can only be written again as a whole")
  func removed() throws {
    let journal = try JournalFile("j", in: directory.path, limit: 100)
    try journal.replace(with: Array("a\n".utf8))
    journal.remove()
    #expect(!directory.names.contains("j"))
    #expect(throws: SystemError.self) { try journal.append([1]) }
    try journal.replace(with: Array("b\n".utf8))
    #expect(text("j") == "b\n")
  }

  @Test("No line is added before the file has been written completely")
  func order() throws {
    let journal = try JournalFile("j", in: directory.path, limit: 100)
    #expect(throws: SystemError.self) { try journal.append([1]) }
  }

  @Test("A directory that others may write in, a link and a directory are refused with a remedy")
  func refused() throws {
    chmod(directory.path, 0o777)
    #expect(failure(in: directory.path) == .exposed(directory.path))
    chmod(directory.path, 0o700)
    symlink("/dev/null", directory["j"])
    #expect(failure(in: directory.path) == .occupied(directory["j"]))
    unlink(directory["j"])
    mkdir(directory["j"], 0o700)
    #expect(failure(in: directory.path) == .occupied(directory["j"]))
    #expect(failure(in: directory["no/such"])?.description.contains("choose another --state-directory") == true)
    #expect("\(JournalError.exposed("d"))".contains("chmod go-w"))
  }
}
