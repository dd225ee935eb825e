//! Programs: ignored tests of the same file, each in a process of its own.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

pub struct Program {
    process: Child,
    errors: BufReader<ChildStderr>,
}

impl Program {
    /// Starts the ignored test with this name.
    pub fn start(name: &str, socket: &Path) -> Program {
        Program::start_after(":", name, socket)
    }

    /// Starts a program after a shell command, whose process becomes the program's.
    pub fn start_after(command: &str, name: &str, socket: &Path) -> Program {
        let script = format!("{command}; exec \"$0\" --exact \"$1\" --ignored --nocapture");
        let mut process = Command::new("sh")
            .args(["-c", &script])
            .arg(env::current_exe().unwrap())
            .arg(name)
            .env("INITD_SOCKET", socket)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = BufReader::new(process.stderr.take().unwrap());
        Program { process, errors }
    }

    pub fn kill(&self, signal: &str) {
        let pid = self.process.id().to_string();
        let status = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(status.unwrap().success());
    }

    /// Returns the next line of its standard error.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the end instead of a line");
        line.pop();
        line
    }

    /// Returns the rest of its standard error.
    pub fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.errors.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Closes the program's standard input, and waits until the program ends.
    pub fn end(mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
