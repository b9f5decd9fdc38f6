//! The models a test phone can be, and the panel each shows.

use serde::{Deserialize, Serialize};

/// How far a foldable is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Posture {
    /// The outer screen shows.
    Closed,
    /// The inner screen, bent.
    HalfOpen,
    /// The inner screen, flat.
    Open,
}

/// A model. Sizes are upright, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// As asked for.
    pub name: String,
    outer: (i32, i32),
    inner: Option<(i32, i32)>,
}

/// The smallest and largest side a panel may have, in pixels.
const SIDES: std::ops::RangeInclusive<i32> = 64..=4096;

impl Model {
    /// A model by its name, or by a size such as "720x1280".
    ///
    /// # Errors
    /// In words, when there is no such model.
    pub fn named(name: &str) -> Result<Self, String> {
        let flat = |outer| Self {
            name: name.to_owned(),
            outer,
            inner: None,
        };
        match name {
            "Test device" => return Ok(flat((1080, 2400))),
            "Test foldable" => {
                return Ok(Self {
                    inner: Some((2208, 1840)),
                    ..flat((1080, 2092))
                });
            }
            _ => {}
        }
        let size = name
            .split_once('x')
            .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match size {
            Some((w, h)) if SIDES.contains(&w) && SIDES.contains(&h) => Ok(flat((w, h))),
            Some(_) => Err(format!(
                "A test phone's sides are {} to {} pixels; {name} is outside.",
                SIDES.start(),
                SIDES.end()
            )),
            None => Err(format!(
                "There is no test phone named {name}. There are \"Test device\", \"Test foldable\", and sizes such as \"720x1280\"."
            )),
        }
    }

    /// Has it a hinge?
    #[must_use]
    pub fn folds(&self) -> bool {
        self.inner.is_some()
    }

    /// The natural panel that shows in this posture.
    #[must_use]
    pub fn panel(&self, posture: Posture) -> (i32, i32) {
        match self.inner {
            Some(inner) if posture != Posture::Closed => inner,
            _ => self.outer,
        }
    }

    /// The panel that touches are counted in: on a foldable always the inner one, which a closed
    /// fold stretches onto the outer screen, as the emulator does.
    #[must_use]
    pub fn touch_panel(&self) -> (i32, i32) {
        self.inner.unwrap_or(self.outer)
    }

    /// The bytes of its largest picture, three a pixel.
    #[must_use]
    pub fn region_bytes(&self) -> usize {
        let bytes = |(w, h): (i32, i32)| w as usize * h as usize * 3;
        bytes(self.outer).max(self.inner.map_or(0, bytes))
    }

    /// Pixels to a density-independent pixel.
    #[must_use]
    pub fn density(&self) -> f32 {
        match self.name.as_str() {
            "Test device" | "Test foldable" => 2.625,
            _ => self.outer.0.min(self.outer.1) as f32 / 411.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foldable_shows_its_inner_panel_unless_closed() {
        let fold = Model::named("Test foldable").unwrap();
        assert_eq!(fold.panel(Posture::Closed), (1080, 2092));
        assert_eq!(fold.panel(Posture::HalfOpen), (2208, 1840));
        assert_eq!(fold.region_bytes(), 2208 * 1840 * 3);
    }

    #[test]
    fn a_size_is_a_model_and_nonsense_is_refused_in_words() {
        assert_eq!(
            Model::named("720x1280").unwrap().panel(Posture::Open),
            (720, 1280)
        );
        assert!(Model::named("9x9").unwrap_err().contains("64 to 4096"));
        assert!(Model::named("Nexus").unwrap_err().contains("Test device"));
    }
}
