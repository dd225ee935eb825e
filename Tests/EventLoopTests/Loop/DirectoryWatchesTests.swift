import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("S40: directories that are watched")
struct DirectoryWatchesTests {
  let directory = TemporaryDirectory()

  @Test("S40: a file that is written, renamed or removed is told by its name, with its directory")
  func names() async throws {
    let told = try await inThread { [directory] in
      let loop = try Loop()
      mkdir(directory["src"], 0o700)
      let watches = DirectoryWatches(loop: loop)
      #expect(try watches.watch([directory["src"]]))
      #expect(try !watches.watch([directory["src"], directory["none"]]))
      var told: [String] = []
      watches.onChange = { path, name in
        told.append(path + " " + name)
        if name == "last" {
          watches.close()
          loop.stop()
        }
      }
      directory.write("src/a", "1")
      rename(directory["src/a"], directory["src/b"])
      unlink(directory["src/b"])
      directory.write("src/last", "1")
      loop.run()
      try loop.close()
      return Set(told)
    }
    #expect(told == Set(["a", "b", "last"].map { directory["src"] + " " + $0 }))
  }

  @Test("S40: a directory that is removed and made again is watched again")
  func again() async throws {
    let names = try await inThread { [directory] in
      let loop = try Loop()
      mkdir(directory["src"], 0o700)
      let watches = DirectoryWatches(loop: loop)
      #expect(try watches.watch([directory["src"]]))
      rename(directory["src"], directory["old"])
      mkdir(directory["src"], 0o700)
      #expect(try watches.watch([directory["src"]]))
      var names: Set<String> = []
      watches.onChange = { _, name in
        names.insert(name)
        guard name == "new" else { return }
        watches.close()
        loop.stop()
      }
      directory.write("old/stale", "1")
      directory.write("src/new", "1")
      loop.run()
      try loop.close()
      return names
    }
    #expect(names.contains("new") && !names.contains("stale"))
  }
}
