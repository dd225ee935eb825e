internal import CPlatform

/// The pages of the program's file that the kernel has mapped for this process.
package enum ProgramPages {
  /// Unmaps those that can't be written; the kernel maps them again when they are used. The kernel may have mapped the whole file, although
  /// an idle program uses little of it.
  package static func giveBack() { platform_release_program_pages() }
}
