import InitWords
import Platform
import Testing

@Suite struct AccountsTests {
  @Test("Root is user 0 with group 0, by name and by number, and is in its own group")
  func root() throws {
    for name in ["root", "0"] {
      let root = try Accounts.find(ProcessSettings.UserName(name))
      #expect(root.id == 0 && root.group == 0 && root.groups.contains(0))
      #expect(root.name == "root" && root.home?.hasPrefix("/") == true)
    }
  }

  @Test("A number that no file has needs a group, and has only that")
  func number() throws {
    let user = try Accounts.find(ProcessSettings.UserName("3999999999", group: "3999999998"))
    #expect(user.id == 3_999_999_999 && user.group == 3_999_999_998 && user.groups == [3_999_999_998])
    #expect(user.name == nil && user.home == nil)
    #expect(throws: Accounts.UnknownUser.self) { try Accounts.find(ProcessSettings.UserName("3999999999")) }
  }

  @Test("An unknown user or group is an error, and so is the number that means no change to the system")
  func unknown() {
    #expect(Accounts.user("+0") == nil && Accounts.group("+0") == nil)
    for (user, group) in [
      ("no-such-user", nil), ("+0", "0"), ("0", "+0"), ("root", "no-such-group"), ("4294967295", "0"),
      ("0", "4294967295"),
    ] {
      #expect(throws: Accounts.UnknownUser.self) { try Accounts.find(ProcessSettings.UserName(user, group: group)) }
    }
  }
}
