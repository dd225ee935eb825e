//! Each activation, in Rust: counts the stock. The count takes a while, so it can be cancelled.

use appinitializers::{Initializer, Priority, Worker};
use std::collections::BTreeMap;
use std::time::Duration;

fn main() -> appinitializers::Result<()> {
    Worker::new("stock-in-rust")
        .initializer(
            Initializer::new("stock").priority(Priority::AppActive).depends_on("catalogue"),
            |run| {
                let catalogue: BTreeMap<String, f64> = run.input("catalogue")?;
                let mut counts = BTreeMap::new();
                for (number, title) in catalogue.keys().enumerate() {
                    run.report(number as f64 / catalogue.len() as f64, format!("counting {title}"));
                    run.sleep(Duration::from_millis(700))?; // an error when the run is cancelled
                    counts.insert(title.clone(), number);
                }
                Ok(counts)
            },
        )
        .run_until_signal()
}
