//! Checks declarations before a worker connects.

use super::Initializer;
use crate::{Error, ErrorKind, Priority, Result, Value};
use std::collections::HashSet;

const NAME: &str = "a name has 1 to 128 ASCII letters, digits, or one of ._:/@+-, and begins with a letter or digit";

const LONGEST: usize = 128;

/// Returns the first fault of a worker's initializers.
pub(super) fn check<'a>(
    worker: &str,
    initializers: impl Iterator<Item = &'a Initializer>,
) -> Result<()> {
    let refuse = |message| Err(Error::new(ErrorKind::InvalidInput, message));
    let mut names = HashSet::new();
    for initializer in initializers {
        let name = initializer.name();
        if let Err(why) = look(initializer) {
            return refuse(format!("cannot declare {}: {why}", Value::from(name)));
        }
        if !names.insert(name) {
            return refuse(format!(
                "two initializers are named \"{name}\"; rename one of them"
            ));
        }
    }
    match names.is_empty() {
        true => refuse(format!(
            "cannot run {worker}: it has no initializers; declare one with Worker::initializer"
        )),
        false => Ok(()),
    }
}

fn look(initializer: &Initializer) -> std::result::Result<(), String> {
    if !is_name(initializer.name()) {
        return Err(NAME.into());
    }
    let mut dependencies = HashSet::new();
    for name in initializer.dependencies.iter().flatten() {
        let quoted = Value::from(name.as_str());
        if !is_name(name) {
            return Err(format!("it depends on {quoted}; {NAME}"));
        }
        if !dependencies.insert(name) {
            return Err(format!("it depends on {quoted} twice; name it once"));
        }
    }
    if let Some(Priority::Other(word)) = &initializer.priority {
        let quoted = Value::from(word.as_str());
        return Err(format!(
            "its priority is {quoted}; it must be appLaunch or appActive"
        ));
    }
    let retry = initializer.retry.clone().unwrap_or_default();
    if retry.attempts == Some(0) {
        return Err("its retry has 0 attempts; the first one counts, so give at least 1".into());
    }
    match retry.factor {
        Some(factor) if !(factor.is_finite() && factor >= 1.0) => Err(format!(
            "the factor of its retry is {factor}; it must be a number of at least 1"
        )),
        _ => Ok(()),
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |each: u8| each.is_ascii_alphanumeric() || b"._:/@+-".contains(&each);
    let begins_well = |first: &u8| first.is_ascii_alphanumeric();
    name.len() <= LONGEST
        && name.bytes().all(is_allowed)
        && name.as_bytes().first().map_or(false, begins_well)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Retry;

    fn fault(initializer: Initializer) -> String {
        let error = check("w", [initializer].iter()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        error.to_string()
    }

    #[test]
    fn a_name_follows_the_rule() {
        for name in ["a", "7", "shelf:stock/v1.0@x+y-z_", &"a".repeat(LONGEST)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a b", "-a", "é", "a\n", &"a".repeat(LONGEST + 1)] {
            assert!(!is_name(name), "{name}");
        }
        assert_eq!(
            fault("a b".into()),
            format!("cannot declare \"a b\": {NAME}")
        );
    }

    #[test]
    fn dependencies_are_names_each_once() {
        let a = || Initializer::new("a");
        assert_eq!(
            fault(a().depends_on("b c")),
            format!("cannot declare \"a\": it depends on \"b c\"; {NAME}")
        );
        assert_eq!(
            fault(a().depends_on("b").depends_on_all(["c", "b"])),
            "cannot declare \"a\": it depends on \"b\" twice; name it once"
        );
    }

    #[test]
    fn words_and_numbers_are_checked() {
        let a = || Initializer::new("a");
        assert_eq!(
            fault(a().priority("soon".into())),
            "cannot declare \"a\": its priority is \"soon\"; it must be appLaunch or appActive"
        );
        assert_eq!(
            fault(a().retry(Retry::attempts(0))),
            "cannot declare \"a\": its retry has 0 attempts; the first one counts, so give at least 1"
        );
        for (factor, shown) in [(0.5, "0.5"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
            let message = format!(
                "cannot declare \"a\": the factor of its retry is {shown}; it must be a number of at least 1"
            );
            assert_eq!(fault(a().retry(Retry::default().factor(factor))), message);
        }
        let good = a().retry(Retry::attempts(1).factor(1.0));
        assert!(check("w", [good].iter()).is_ok());
    }
}
