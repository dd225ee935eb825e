"""The completions of shells: `initctl completions SHELL` prints a script that asks initctl, which asks the running supervisor for names."""

import os
import pty
import re
import select
import shutil
import socket
import subprocess
import time
import unittest

from deadlines import DEADLINE, PROMPT
from fake import STATUS, FakeSupervisor
from supervisor import INITCTL, INITD, Conformance

INITIALIZERS = """
db:migrate: {command: ["true"]}
db:seed: {command: ["true"]}
getty@tty1: {command: ["true"]}
menu: {command: ["true"], priority: appActive}
"""

# The text before Tab, and the line after it. The first word of the line is in PATH.
LINES = {
    "initctl statu": "initctl status ",
    "initctl   statu": "initctl   status ",
    "true; initctl statu": "true; initctl status ",
    "/nowhere/initctl statu": "/nowhere/initctl status ",
    "initctl status db": "initctl status db:",
    "initctl status db:mi": "initctl status db:migrate ",
    "initctl status 'db:mi": "initctl status 'db:migrate' ",
    "initctl status db:migrate db:": "initctl status db:migrate db:seed ",
    "initctl status getty@": "initctl status getty@tty1 ",
    "initctl status unknown": "initctl status unknown",
    "initctl history --ph": "initctl history --phase ",
    "initctl history --phase l": "initctl history --phase launch ",
    "initctl history --phase=l": "initctl history --phase=launch ",
    "initctl what-if --speedup me": "initctl what-if --speedup menu=",
    "initctl what-if --without=db:s": "initctl what-if --without=db:seed ",
    "initctl --socket ~/other.sock status me": "initctl --socket ~/other.sock status me",
    "initctl --socket ~/initd.sock status me": "initctl --socket ~/initd.sock status menu ",
    "initctl check man": "initctl check manifest.yaml ",
    "initctl check a": "initctl check a\\ file.yaml ",
    "initctl graph --config=man": "initctl graph --config=manifest.yaml ",
    "initctl worker x -- ./prog": "initctl worker x -- ./program ",
    "initctl worker x -- ls man": "initctl worker x -- ls manifest.yaml ",
    "initd --check man": "initd --check manifest.yaml ",
    "initd --state-directory=st": "initd --state-directory=state/",
    "initd --limit fr": "initd --limit frame",
    "initd --limit conn": "initd --limit connections=",
    "initd --log-level=de": "initd --log-level=debug ",
}


class Completing(Conformance):
    def setUp(self):
        super().setUp()
        self.home = self.directory()
        for name in ("bin", "state"):
            os.mkdir(os.path.join(self.home, name))
        for name in ("manifest.yaml", "a file.yaml", "stated", "program"):
            self.write(os.path.join(self.home, name), "")
        os.chmod(os.path.join(self.home, "program"), 0o755)
        for program in (INITCTL, INITD):
            os.symlink(program, os.path.join(self.home, "bin", os.path.basename(program)))
        self.env = {
            "PATH": f"{self.home}/bin:{os.environ['PATH']}", "HOME": self.home, "TERM": "dumb", "PS1": "", "LC_ALL": "C.UTF-8",
            "INITD_SOCKET": os.path.join(self.home, "initd.sock"),
        }

    def supervise(self):
        return self.start_with(INITIALIZERS, directory=self.home)

    def pretend(self, *candidates):
        """Puts an initctl in PATH that offers these candidates for every request."""
        program = os.path.join(self.home, "bin/initctl")
        os.remove(program)
        self.write(os.path.join(self.home, "candidates"), "".join(each + "\n" for each in candidates))
        self.write(program, f"#!/bin/sh\nexec cat {self.home}/candidates\n")
        os.chmod(program, 0o755)


class Shell:
    """An interactive shell on a terminal."""

    def __init__(self, test, words, *setup):
        self.test = test
        self.terminal, theirs = pty.openpty()
        test.addCleanup(os.close, self.terminal)
        self.process = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, env=test.env, cwd=test.home, start_new_session=True
        )
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        os.close(theirs)
        for line in (*setup, "echo REA''DY"):
            os.write(self.terminal, line.encode() + b"\n")
        self._until(rb"READY")

    def completed(self, line):
        """The line after Tab. The shell's key ^T prints the line between << and >>, and ^U clears it."""
        os.write(self.terminal, line.encode() + b"\t\x14")
        result = self._until(rb"<<(.*)>>")[1].decode()
        os.write(self.terminal, b"\x15")
        return result

    def _until(self, pattern):
        seen, end = b"", time.monotonic() + DEADLINE
        while not (found := re.search(pattern, seen)):
            assert select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0], f"no {pattern} in {seen}"
            seen += os.read(self.terminal, 1 << 16)
        return found


class BashTests(Completing):
    def shell(self):
        show = r"""bind -x '"\C-t": printf "<<%s>>\n" "$READLINE_LINE"'"""
        return Shell(self, ["bash", "--norc", "--noprofile", "-i"], f"source <({INITCTL} completions bash)", show)

    def test_words_names_and_files_are_completed(self):
        self.supervise()
        shell = self.shell()
        for line, expected in LINES.items():
            with self.subTest(line):
                self.assertEqual(shell.completed(line), expected)

    def test_candidates_are_quoted(self):
        self.pretend("one two;$(touch ran)\tnot a name")
        shell = self.shell()
        self.assertEqual(shell.completed("initctl status on"), r"initctl status one\ two\;\$\(touch\ ran\) ")

    def test_nothing_of_the_line_is_executed(self):
        self.supervise()
        self.shell().completed("initctl --socket $(touch ran) status `touch ran` db:")
        self.assertFalse(os.path.exists(os.path.join(self.home, "ran")))

    def test_other_word_breaks_work_too(self):
        self.supervise()
        shell = Shell(self, ["bash", "--norc", "--noprofile", "-i"], f"source <({INITCTL} completions bash)",
                      "COMP_WORDBREAKS=${COMP_WORDBREAKS//[:=]/}", r"""bind -x '"\C-t": printf "<<%s>>\n" "$READLINE_LINE"'""")
        for line in ("initctl status db:mi", "initctl history --phase=l", "initctl what-if --without=db:s"):
            self.assertEqual(shell.completed(line), LINES[line])


@unittest.skipUnless(shutil.which("zsh"), "zsh isn't installed")
class ZshTests(Completing):
    SHOW = r"""show() { print -r -- "<<$BUFFER>>" }; zle -N show; bindkey '^T' show; unsetopt automenu autolist"""

    def shell(self):
        source = f"source <({INITCTL} completions zsh)"
        return Shell(self, ["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D", source, self.SHOW)

    def test_words_names_and_files_are_completed(self):
        self.supervise()
        shell = self.shell()
        for line, expected in LINES.items():
            with self.subTest(line):
                self.assertEqual(shell.completed(line), expected)

    def test_the_installed_function_is_loaded(self):
        functions = os.path.join(self.home, "functions")
        os.mkdir(functions)
        self.write(os.path.join(functions, "_initctl"), self.initctl("completions", "zsh").out)
        shell = Shell(self, ["zsh", "-f", "-i"], f"fpath=({functions} $fpath); autoload -U compinit; compinit -u -D", self.SHOW)
        self.assertEqual(shell.completed("initctl statu"), "initctl status ")
        self.assertEqual(shell.completed("initd --log-level=de"), "initd --log-level=debug ")

    def test_candidates_are_quoted(self):
        self.pretend("one two;$(touch ran)\tnot a name")
        self.assertEqual(self.shell().completed("initctl status on"), r"initctl status one\ two\;\$\(touch\ ran\) ")


@unittest.skipUnless(shutil.which("fish"), "fish isn't installed")
class FishTests(Completing):
    def completed(self, line):
        """The candidates: fish can be asked for them."""
        script = f"{INITCTL} completions fish | source; complete -C {self.quoted(line)}"
        finished = subprocess.run(
            ["fish", "--no-config", "-c", script], env=self.env, cwd=self.home, capture_output=True, text=True, timeout=DEADLINE
        )
        self.assertEqual(finished.stderr, "")
        return finished.stdout.splitlines()

    def quoted(self, text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def test_words_names_and_files_are_completed(self):
        self.supervise()
        self.assertEqual(self.completed("initctl stat")[0].split("\t")[0], "status")
        self.assertEqual(self.completed("initctl status db:"), ["db:migrate\tcomplete", "db:seed\tcomplete"])
        self.assertEqual(self.completed("initctl status 'db:mi"), ["db:migrate\tcomplete"])
        self.assertEqual(self.completed("initctl --socket=/nowhere status db:"), [])
        self.assertEqual(self.completed("initctl --socket ~/initd.sock what-if --speedup me"), ["menu=\tidle"])
        self.assertEqual(self.completed("/nowhere/initctl history --phase=l"), ["--phase=launch"])
        self.assertEqual(self.completed("initctl graph --config=a"), ["--config=a file.yaml"])
        self.assertEqual(self.completed("initctl worker x -- ls man"), ["manifest.yaml"])
        self.assertEqual(self.completed("initd --state-directory st"), ["state/"])
        self.assertEqual(self.completed("initd --log-level=de"), ["--log-level=debug"])


class NamesTests(Completing):
    def asked(self, *words):
        return self.assertStatus(self.program([INITCTL, "complete", "--", *words], env=self.env).finish(PROMPT), 0)

    def test_without_a_supervisor_there_are_no_names_and_no_errors(self):
        finished = self.asked("wait", "")
        self.assertEqual(finished.out, "ready\nlaunch\nactive\ncomposite\n")
        self.assertEqual(finished.err, "")

    def test_a_supervisor_that_does_not_answer_delays_nobody(self):
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(self.env["INITD_SOCKET"])
            silent.listen()
            finished = self.asked("wait", "")
        self.assertEqual(finished.out, "ready\nlaunch\nactive\ncomposite\n")
        self.assertEqual(finished.err, "")

    def test_names_that_no_command_accepts_are_not_offered(self):
        names = ["good", "a\nb", "\x1b[2J", "-x", ":files", "$(touch ran)", "a b", "bad\t"]
        initializers = [
            {"name": name, "priority": "appLaunch", "dependencies": [], "provider": "worker", "available": True, "status": "asleep\x1b[2J"}
            for name in names
        ]
        fake = FakeSupervisor(self.env["INITD_SOCKET"], lambda method, params: {**STATUS, "initializers": initializers})
        self.addCleanup(fake.close)
        self.assertEqual(self.asked("status", "").out, "good\tasleep\\u{1B}[2J\n")

    def test_names_of_kept_processes_are_completed_for_logs(self):
        self.start('version: 1\nworkers:\n  pg: {command: [sleep, "60"]}\n', directory=self.home)
        self.assertEqual(self.asked("logs", "").out, "pg\tprocess\n")
        self.assertEqual(self.asked("status", "").out, "")
