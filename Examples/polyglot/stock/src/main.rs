//! Each activation, in Rust: counts what is in stock. It takes a while, so that it can be cancelled.

use appinitializers::{Initializer, Priority, Value, Worker};
use std::time::Duration;

fn main() -> appinitializers::Result<()> {
    Worker::new("stock-in-rust")
        .initializer(
            Initializer::new("stock").priority(Priority::AppActive).depends_on("catalogue"),
            |run| {
                let catalogue = run.input::<Value>("catalogue")?;
                let titles: Vec<String> = catalogue.as_object().into_iter().flatten().map(|(title, _)| title.to_string()).collect();
                let mut counts = Vec::new();
                for (number, title) in titles.iter().enumerate() {
                    run.report(number as f64 / titles.len() as f64, format!("counting {title}"));
                    run.sleep(Duration::from_millis(700))?; // an error when the run is cancelled
                    counts.push((title.clone(), Value::from(number as i64)));
                }
                Ok(Value::Object(counts.into_iter().collect()))
            },
        )
        .run()
}
