import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("The project's folder")
struct ProjectFolderTests {
  let directory = TemporaryDirectory()

  @Test("The nearest folder with a manifest counts, from here upwards; init.yaml comes before init.yml")
  func nearest() throws {
    mkdir(directory["a"], 0o700)
    mkdir(directory["a/b"], 0o700)
    mkdir(directory["a/b/init.yaml"], 0o700)
    directory.write("init.yml", "")
    #expect(ProjectFolder(from: directory["a/b"])?.manifest == directory["init.yml"])
    directory.write("init.yaml", "")
    #expect(ProjectFolder(from: directory["a/b"])?.manifest == directory["init.yaml"])
    directory.write("a/init.yml", "")
    #expect(ProjectFolder(from: directory["a/b"])?.manifest == directory["a/init.yml"])
    #expect(ProjectFolder(from: directory["a/b/../.."])?.manifest == directory["init.yaml"])
  }

  @Test(
    "What another user has put into a directory above isn't trusted; in one's own directory it is",
    .enabled(if: geteuid() == 0))
  func owner() throws {
    mkdir(directory["a"], 0o700)
    directory.write("init.yaml", "")
    #expect(ProjectFolder(from: directory["a"])?.isTrusted == true)
    chown(directory["init.yaml"], 4711, 4711)
    #expect(ProjectFolder(from: directory["a"])?.isTrusted == false)
    #expect(ProjectFolder(from: directory.path)?.isTrusted == false)
    chown(directory["a"], 4711, 4711)
    #expect(ProjectFolder(from: directory["a"])?.isTrusted == true)
  }

  @Test("Its name follows from the real path of the manifest's directory alone")
  func name() throws {
    mkdir(directory["a"], 0o700)
    mkdir(directory["c"], 0o700)
    directory.write("a/init.yaml", "")
    symlink("a", directory["b"])
    let folder = ProjectFolder(manifest: directory["a/init.yaml"])
    #expect(folder.name == ProjectFolder(manifest: directory["b/other.yaml"]).name)
    #expect(folder.name != ProjectFolder(manifest: directory["c/init.yaml"]).name)
    #expect(folder.name.count == 16 && folder.name.allSatisfy(\.isHexDigit))
    let slash = ProjectFolder(manifest: "/init.yaml")
    // The first digits of the SHA-256 of "/".
    #expect((slash.directory, slash.name) == ("/", "8a5edab282632443"))
  }

  @Test("The socket is in the user's runtime directory, which must be the user's own alone")
  func socket() throws {
    directory.write("init.yaml", "")
    mkdir(directory["run"], 0o700)
    let folder = ProjectFolder(manifest: directory["init.yaml"])
    let variables = ["XDG_RUNTIME_DIR": directory["run"]]
    let path = "\(directory["run/initd"])/\(folder.name).sock"
    #expect(try folder.socket(variables, creates: false) == path)
    #expect(FileIdentity(at: directory["run/initd"]) == nil)
    #expect(try folder.socket(variables, creates: true) == path)
    #expect(FileIdentity(at: directory["run/initd"])?.mode == 0o700)
    chmod(directory["run/initd"], 0o755)
    for creates in [true, false] {
      #expect(throws: SystemError.self) { try folder.socket(variables, creates: creates) }
    }
    rmdir(directory["run/initd"])
    mkdir(directory["elsewhere"], 0o700)
    symlink(directory["elsewhere"], directory["run/initd"])
    #expect(throws: SystemError.self) { try folder.socket(variables, creates: true) }
  }

  @Test("A link leads to a socket elsewhere; a socket in its place stays, and so does another link")
  func link() throws {
    let link = try SocketLink(at: directory["link"], to: "/a")
    #expect(SocketLink.target(of: directory["link"]) == "/a")
    let newer = try SocketLink(at: directory["link"], to: "/b")
    link.remove()
    #expect(SocketLink.target(of: directory["link"]) == "/b")
    newer.remove()
    #expect(FileIdentity(at: directory["link"]) == nil)
    directory.write("file", "")
    #expect(throws: SystemError.self) { try SocketLink(at: directory["file"], to: "/a") }
    #expect(FileIdentity(at: directory["file"])?.isRegular == true)
  }
}
