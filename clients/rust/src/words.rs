//! The names that the protocol defines. A later version may have more names, so each type keeps a name that it doesn't know.

macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$meaning])* $variant,)*
            /// A name that this version of the crate doesn't know.
            Other(String),
        }

        impl $name {
            /// Returns the name in the protocol.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)*
                    $name::Other(word) => word,
                }
            }
        }

        /// The name `unknown`, for a member that is missing.
        impl Default for $name {
            fn default() -> $name {
                $name::Other("unknown".into())
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> $name {
                match word {
                    $($word => $name::$variant,)*
                    other => $name::Other(other.into()),
                }
            }
        }

        /// Serializes the name in the protocol.
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                String::deserialize(deserializer).map(|word| $name::from(word.as_str()))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

words! {
    /// A topic of [events](crate::Client::subscribe).
    Topic {
        /// The state of launch.
        Launch = "launch",
        /// The state of active.
        Active = "active",
        /// The state of both together.
        Composite = "composite",
        /// Whether the app is active.
        Lifecycle = "lifecycle",
        /// Changes and progress of initializers.
        Initializer = "initializer",
        /// Starts and ends of passes.
        Pass = "pass",
        /// Workers that connect and disconnect, and processes of the supervisor.
        Worker = "worker",
        /// Output of commands.
        Log = "log",
    }

    /// The kinds of a [`State`](crate::State).
    StateKind {
        /// The phase hasn't ended, or was cancelled and waits for the next pass.
        Pending = "pending",
        /// The phase has completed.
        Complete = "complete",
        /// The phase has failed.
        Failed = "failed",
        /// The phase was cancelled. Only a wait for a pass or for an initializer ends so.
        Cancelled = "cancelled",
    }

    /// Whether the app is active.
    Lifecycle {
        /// The app isn't active.
        Inactive = "inactive",
        /// The app is active.
        Active = "active",
    }

    /// When an initializer runs.
    Priority {
        /// Runs once, at launch.
        AppLaunch = "appLaunch",
        /// Each time the app becomes active.
        AppActive = "appActive",
    }

    /// The phase of a pass.
    Phase {
        /// The initializers of launch, and their dependencies.
        Launch = "launch",
        /// The initializers of each activation.
        Active = "active",
    }

    /// The current state of an initializer, or its last outcome.
    InitializerState {
        /// The initializer hasn't run.
        Idle = "idle",
        /// The initializer waits for its turn in a pass, or between two attempts.
        Waiting = "waiting",
        /// It runs.
        Running = "running",
        /// The run was asked to stop, and still runs.
        Stopping = "stopping",
        /// The initializer has completed.
        Complete = "complete",
        /// The initializer has failed.
        Failed = "failed",
        /// The initializer was cancelled.
        Cancelled = "cancelled",
        /// The pass failed before the initializer's turn.
        NotRun = "notRun",
        /// The initializer isn't run, and its dependents continue.
        Skipped = "skipped",
    }

    /// The kind of a provider.
    Provider {
        /// The supervisor's own program.
        InProcess = "inProcess",
        /// A command that the supervisor starts.
        Command = "command",
        /// A worker.
        Worker = "worker",
        /// The supervisor itself waits for something outside of it.
        WaitFor = "waitFor",
        /// A process that the supervisor keeps running: a run starts it, until it is ready.
        Process = "process",
    }

    /// The status of a pass.
    PassStatus {
        /// The pass was requested.
        Started = "started",
        /// The pass has completed.
        Complete = "complete",
        /// The pass has failed.
        Failed = "failed",
        /// The pass was cancelled.
        Cancelled = "cancelled",
    }

    /// The outcome of a pass or a run.
    Outcome {
        /// The pass or run has completed.
        Complete = "complete",
        /// The pass or run has failed.
        Failed = "failed",
        /// The pass or run was cancelled.
        Cancelled = "cancelled",
    }

    /// The kinds of a [`Failure`](crate::Failure).
    FailureCode {
        /// A run of the initializer has failed.
        InitializerFailed = "initializerFailed",
        /// A dependency isn't declared.
        MissingDependency = "missingDependency",
        /// Dependencies form a circle.
        CircularDependency = "circularDependency",
        /// Two initializers have the same name.
        DuplicateInitializer = "duplicateInitializer",
    }

    /// The kinds of a [`Cause`](crate::Cause).
    CauseKind {
        /// The run has reported an error.
        Error = "error",
        /// The command has exited with a status other than 0.
        Exit = "exit",
        /// A signal has ended the process.
        Signal = "signal",
        /// Its timeout.
        Timeout = "timeout",
        /// The worker isn't connected.
        WorkerLost = "workerLost",
        /// The program can't be started.
        NotFound = "notFound",
        /// A user has cancelled the run.
        Operator = "operator",
    }

    /// Why a run was cancelled.
    CancelReason {
        /// The app was deactivated.
        Deactivated = "deactivated",
        /// The timeout of the run has passed.
        Timeout = "timeout",
        /// Another initializer of the pass has failed.
        Failed = "failed",
        /// The worker leaves.
        Unregistered = "unregistered",
        /// The supervisor shuts down.
        Shutdown = "shutdown",
        /// A user has cancelled the run.
        Operator = "operator",
        /// The connection was lost.
        Lost = "lost",
    }

    /// The stream of a line of output.
    Stream {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_and_shown_also_if_it_is_unknown() {
        assert_eq!(InitializerState::from("notRun"), InitializerState::NotRun);
        assert_eq!(format!("{:>7}", Topic::Log), "    log");
        assert_eq!(Topic::from("tide"), Topic::Other("tide".into()));
        assert_eq!(Topic::from("tide").to_string(), "tide");
        let read: Vec<Phase> = serde_json::from_str(r#"["launch","tide"]"#).unwrap();
        assert_eq!(read, [Phase::Launch, Phase::from("tide")]);
    }
}
