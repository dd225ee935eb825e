"""Numbers that no supervisor sends: initctl shows or refuses them, and names the refused number."""

import unittest
from typing import Any

from fake import STATUS, FakeSupervisor
from supervisor import Conformance

MANIFEST = """\
version: 1
concurrency: 2
registrationTimeout: 1h
workers:
  server: { command: 'exit 3' }
initializers:
  migrate: { command: 'echo migrated' }
  prices: { command: 'exit 3', optional: true, dependencies: [migrate] }
  menu: { command: 'exit 4', retry: { attempts: 3, delay: 1h, maxDelay: 1h } }
  tables: { worker: true, timeout: 1h, retry: { attempts: 2 } }
  session: { command: 'true', priority: appActive }
"""
COMMANDS = (
    "status", "why menu", "blame", "critical-path", "plot", "trace", "what-if --concurrency 1", "history", "history --all", "compare 1 2", "logs",
)
GREATEST = 2**53 - 1


class NumberRangeTests(Conformance):
    def test_no_number_of_an_answer_ends_initctl(self):
        """The answers of a real supervisor, in which all members of one name are replaced."""
        supervisor = self.start(MANIFEST)
        worker = supervisor.worker("tables")
        worker.expect_run("tables").progress(fraction=0.5, message="half")
        supervisor.peer().ok("activate")
        supervisor.peer().until_initializer("menu", "waiting")
        asked: dict[str, dict[str, Any]] = {}
        names: set[str] = set()
        replaced, number = "", 0.0

        def changed(value: Any, name: str = "") -> Any:
            if isinstance(value, dict):
                return {key: changed(member, key) for key, member in value.items()}
            if isinstance(value, list):
                return [changed(element, name) for element in value]
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                return value
            names.add(name)
            return number if name == replaced else value

        def answer(method: str, params: Any) -> Any:
            key = f"{method} {params}"
            if key not in asked:
                asked[key] = supervisor.peer().call(method, params)
            return changed(asked[key]["result"]) if "result" in asked[key] else Exception(asked[key]["error"])

        fake = FakeSupervisor(self.directory() + "/s", answer)
        self.addCleanup(fake.close)

        def ask() -> None:
            for words in COMMANDS:
                finished = self.initctl("--socket", fake.path, *words.split())
                self.assertIn(finished.status, (0, 1, 2, 69), (words, replaced, number, finished.err))

        ask()
        self.assertLessEqual({"duration", "started", "pass", "run", "attempt", "uptime", "nextAttempt"}, names)
        for replaced in sorted(names):
            for number in (1e21, -1e12, GREATEST):
                ask()

    def test_what_is_refused_is_named(self):
        for name, number, requirement in (
            ("uptime", 1e21, "must be a number between -1e12 and 1e12"),
            ("seq", GREATEST + 1, f"must be an integer between -{GREATEST} and {GREATEST}"),
        ):
            with self.subTest(name):
                fake = FakeSupervisor(self.directory() + "/s", lambda _, __, name=name, number=number: STATUS | {name: number})
                self.addCleanup(fake.close)
                finished = self.initctl("--socket", fake.path, "status")
                self.assertEqual(finished.status, 69)
                self.assertIn(f".{name}: {requirement}", finished.err)

    def test_factors_are_limited(self):
        for factor in ("1e-21", "0.0009", "1e7", "0", "nan"):
            finished = self.initctl("what-if", "--speedup", f"a={factor}")
            self.assertEqual(finished.status, 64)
            self.assertIn("write e.g. migrate=2, with a factor from 0.001 to 1000000", finished.err)


if __name__ == "__main__":
    unittest.main()
