//! Ratios with their bars, and lines of JSON.

use std::fmt::Write as _;

/// Noise that a bar forgives.
const SLACK: f64 = 1.05;

/// A figure, and what it must not exceed.
#[derive(Debug, Clone)]
pub struct Bar {
    /// What is compared, on which content and screen.
    pub name: String,
    /// Measured.
    pub value: f64,
    /// At most this; `None` for a figure that is only reported.
    pub bar: Option<f64>,
    /// Hoped for.
    pub aim: Option<f64>,
    /// Noise moves it: it may lie 5% over its bar, and is measured again before it counts as missed.
    pub noisy: bool,
    /// Figures that belong to it, by their names.
    pub beside: Vec<(&'static str, f64)>,
}

impl Bar {
    /// A ratio of times.
    pub fn time(name: impl Into<String>, value: f64, bar: f64, aim: f64) -> Self {
        Self {
            name: name.into(),
            value,
            bar: Some(bar),
            aim: Some(aim),
            noisy: true,
            beside: Vec::new(),
        }
    }

    /// A figure that comes out the same each time.
    pub fn exact(name: impl Into<String>, value: f64, bar: f64, aim: f64) -> Self {
        Self {
            noisy: false,
            ..Self::time(name, value, bar, aim)
        }
    }

    /// A figure without a bar.
    pub fn figure(name: impl Into<String>, value: f64) -> Self {
        Self {
            name: name.into(),
            value,
            bar: None,
            aim: None,
            noisy: true,
            beside: Vec::new(),
        }
    }

    /// It keeps its bar.
    pub fn pass(&self) -> bool {
        let slack = if self.noisy { SLACK } else { 1.0 };
        self.bar.is_none_or(|bar| self.value <= bar * slack)
    }

    /// One line.
    pub fn json(&self) -> String {
        let number =
            |value: Option<f64>| value.map_or("null".to_owned(), |value| format!("{value}"));
        let beside: String = self
            .beside
            .iter()
            .map(|(name, value)| format!(r#","{name}":{value:.2}"#))
            .collect();
        format!(
            r#"{{"name":"{}","value":{:.4},"bar":{},"aim":{},"pass":{}{beside}}}"#,
            self.name,
            self.value,
            number(self.bar),
            number(self.aim),
            self.pass()
        )
    }
}

/// Measures, and measures what was missed once more: the better of the two counts.
pub fn twice(measure: impl Fn() -> Vec<Bar>) -> Vec<Bar> {
    let first = measure();
    if first.iter().all(|bar| bar.pass() || !bar.noisy) {
        return first;
    }
    let better = |(one, two): (Bar, Bar)| if two.value < one.value { two } else { one };
    first.into_iter().zip(measure()).map(better).collect()
}

/// The table of bars.
pub fn table(bars: &[Bar]) -> String {
    let mut text = format!("{:<64}{:>9}{:>8}{:>8}\n", "bar", "value", "bar", "aim");
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    for bar in bars {
        let mark = if bar.pass() { "" } else { "  MISSED" };
        let _ = writeln!(
            text,
            "{:<64}{:>9.3}{:>8}{:>8}{mark}",
            bar.name,
            bar.value,
            number(bar.bar),
            number(bar.aim)
        );
    }
    text
}
