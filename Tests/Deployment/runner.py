"""Runs the tests of a folder, for the scripts `run` of this folder and of Tests/Packages."""

from __future__ import annotations

import argparse
import pathlib
import sys
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "Conformance"))

import timelimit  # noqa: E402


def run(folder: pathlib.Path, description: str, needed: list[pathlib.Path], remedy: str) -> int:
    """Runs the tests that the command line selects; returns the exit status. Without the files `needed`, the remedy is printed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", dest="patterns", action="append", default=[], help="only tests whose name contains this")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if missing := [str(path) for path in needed if not path.exists()]:
        sys.exit(f"cannot find {' and '.join(missing)}: {remedy}")
    timelimit.install()
    loader = unittest.TestLoader()
    if arguments.patterns:
        loader.testNamePatterns = [each if "*" in each else f"*{each}*" for each in arguments.patterns]
    names = [pathlib.Path(each).stem for each in arguments.files] or sorted(path.stem for path in folder.glob("test_*.py"))
    result = unittest.TextTestRunner(verbosity=1, warnings="error").run(loader.loadTestsFromNames(names))
    for test, reason in result.skipped:
        print(f"skipped {test.id()}: {reason}")
    # A test has failed if any part of it has; a class whose setup failed wasn't counted as run.
    bad = {getattr(case, "test_case", case).id() for case, _ in result.failures + result.errors}
    ran = result.testsRun - len(result.skipped) + sum(each.startswith(("setUp", "tearDown")) for each in bad)
    print(f"{ran - len(bad)} passed, {len(bad)} failed")
    return 1 if bad else 0
