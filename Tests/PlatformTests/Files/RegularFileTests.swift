import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("RegularFile")
struct RegularFileTests {
  let directory = TemporaryDirectory()

  private func failure(_ name: String, followsLink: Bool = false) -> RegularFileError? {
    do throws(RegularFileError) {
      _ = try RegularFile.open(directory[name], followsLink: followsLink)
      return nil
    } catch { return error }
  }

  @Test("A regular file is opened; other kinds of files are refused without blocking")
  func kinds() throws {
    directory.write("file", "text")
    #expect(try RegularFile.open(directory["file"]).readToEnd() == "text")
    mkdir(directory["directory"], 0o700)
    mkfifo(directory["fifo"], 0o600)
    symlink("file", directory["link"])
    symlink("fifo", directory["fifoLink"])
    let socket = try Descriptor.boundUnixSocket(
      try #require(SocketAddress(path: directory["socket"])), mode: 0o600)
    #expect(failure("directory") == .irregular("a directory"))
    #expect(failure("fifo") == .irregular("a named pipe"))
    #expect(failure("socket") == .irregular("a socket"))
    #expect(failure("link") == .irregular("a symbolic link"))
    #expect(failure("link", followsLink: true) == nil)
    #expect(failure("fifoLink", followsLink: true) == .irregular("a named pipe"))
    #expect(failure("nothing") == .system(SystemError(call: "open", errno: ENOENT, subject: directory["nothing"])))
    #expect(throws: RegularFileError.irregular("a device")) { try RegularFile.open("/dev/zero") }
    symlink("socket", directory["socketLink"])
    #expect(failure("socketLink", followsLink: true) == .irregular("a socket"))
    _ = socket
  }

  @Test("A device without a driver is reported as a device")
  func deviceWithoutTerminal() async {
    await #expect(processExitsWith: .success) {
      // Without a controlling terminal /dev/tty is refused with ENXIO, as a socket is.
      if setsid() < 0 {
        var status: Int32 = 0
        #expect(ioctl(open("/dev/tty", O_RDWR | O_CLOEXEC), UInt(TIOCNOTTY), &status) == 0 || errno == EBADF)
      }
      #expect(throws: RegularFileError.irregular("a device")) { try RegularFile.open("/dev/tty") }
    }
  }
}
