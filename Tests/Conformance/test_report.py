"""everyday.md "What leaves the terminal": `initctl report`."""

import os
import xml.etree.ElementTree as ElementTree

from supervisor import Conformance

XHTML = "{http://www.w3.org/1999/xhtml}"
BROKEN = """\
version: 1
concurrency: 2
environment: { TOKEN: hunter2 }
initializers:
  a: { command: "echo hi" }
  key: { command: 'echo s3cret > "$INITD_OUTPUT"', secret: true }
  b-2: { command: "echo '<oops> & co' >&2; exit 3", dependencies: [a, key] }
  c: { command: "true", dependencies: [b-2] }
"""


class ReportTests(Conformance):
    def broken(self, *arguments):
        supervisor = self.start(BROKEN, *arguments)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "failed")
        return supervisor

    def report(self, supervisor, *words):
        return self.assertStatus(supervisor.ctl("report", *words), 0).out

    def test_one_page_without_references_to_others(self):
        """One HTML file without references to others: what happened, `why`, the bars, the critical path, outputs of failures; well-formed XML."""
        text = self.report(self.broken())
        page = ElementTree.fromstring(text)
        self.assertEqual(page.tag, XHTML + "html")
        addresses = [
            value for element in page.iter() for name, value in element.attrib.items()
            if name.split("}")[-1] in ("src", "href", "data", "action", "poster", "srcset") and not value.startswith("#")]
        self.assertEqual(addresses, [])
        self.assertNotIn("url(", text.replace("url(#", ""))
        self.assertNotIn("@import", text)
        shown = "".join(page.itertext())
        for part in ("launch failed", "b-2 failed", "exit status 3", "CRITICAL PATH", "<oops> & co", "after b-2 failed", "cores"):
            self.assertIn(part, shown)
        self.assertIsNotNone(page.find(f".//{{http://www.w3.org/2000/svg}}svg"), "no bars")

    def test_no_environment_and_no_secret(self):
        """It adds no environment values and no secret."""
        supervisor = self.broken()
        for format in ("html", "markdown", "junit", "github"):
            text = self.report(supervisor, "--format", format)
            self.assertNotIn("hunter2", text)
            self.assertNotIn("s3cret", text)

    def test_what_differs_from_the_usual(self):
        """What `compare` says against the usual."""
        supervisor = self.start("version: 1\ninitializers:\n  a: { command: 'true' }\n")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        for _ in range(2):
            self.assertStatus(supervisor.ctl("rerun", "a", "--wait"), 0)
        self.assertRegex(self.report(supervisor, "--format", "markdown"), r"from the (median of \d earlier passes|only earlier pass) to pass \d: ")

    def test_markdown(self):
        """`--format markdown` for issues and CI summaries."""
        text = self.report(self.broken(), "--format", "markdown")
        self.assertTrue(text.startswith("## pass 1 (launch) failed"), text)
        self.assertRegex(text, r"\| b-2 \| failed \| .* \| .* \| exit status 3 \|")
        self.assertIn("```\n<oops> & co\n```", text)

    def test_junit(self):
        """`junit` (each initializer a test case, its output in it)."""
        suite = ElementTree.fromstring(self.report(self.broken(), "--format", "junit"))
        self.assertEqual((suite.tag, suite.get("tests"), suite.get("failures"), suite.get("skipped")), ("testsuite", "4", "1", "1"))
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        self.assertEqual(set(cases), {"a", "key", "b-2", "c"})
        self.assertEqual(cases["a"].findtext("system-out"), "hi")
        self.assertEqual(cases["b-2"].find("failure").get("message"), "exit status 3")
        self.assertEqual(cases["b-2"].findtext("system-out"), "<oops> & co")
        self.assertIsNotNone(cases["c"].find("skipped"))

    def test_github(self):
        """`github` (annotations)."""
        lines = self.report(self.broken(), "--format", "github").splitlines()
        self.assertEqual(lines[0], "::error title=b-2::exit status 3%0A<oops> & co")
        self.assertTrue(lines[1].startswith("::error title=initialization::pass 1 (launch) failed"), lines)

    def test_a_file_and_a_pass(self):
        """`initctl report [--pass N] [--output FILE]`; statuses as the commands that explain."""
        supervisor = self.broken()
        path = os.path.join(self.directory(), "report.html")
        self.assertEqual(self.report(supervisor, "--pass", "1", "--output", path), "")
        with open(path) as file:
            self.assertIn("b-2", file.read())
        self.assertStatus(supervisor.ctl("report", "--pass", "9"), supervisor.ctl("blame", "--pass", "9").status)
        self.assertStatus(supervisor.ctl("report", "--format", "pdf"), 64)

    def test_after_the_end(self):
        """It works from a state directory after the end."""
        state = os.path.join(self.directory(), "state")
        supervisor = self.broken("--state-directory", state)
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        finished = self.assertStatus(self.initctl("report", "--state-directory", state, "--format", "markdown"), 0)
        self.assertIn("b-2", finished.out)
        self.assertIn("<oops> & co", finished.out)
