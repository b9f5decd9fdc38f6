//! Joins rate control to an encoder that takes a quantizer for each picture.

use super::{Plan, Rate, Scene, Survey, Verdict};
use crate::codec::{Ask, CodecError, Encoded, Unit};
use crate::frames::Picture;

/// Up to this fraction of changed rows a change is a little one.
const LITTLE_ROWS: f32 = 0.15;

/// Rate control and what it must see of the pictures.
#[derive(Debug)]
pub struct Drive {
    /// The rate control.
    pub rate: Rate,
    survey: Survey,
}

impl Drive {
    /// For a target in bits a second.
    #[must_use]
    pub fn new(bits_per_second: u32) -> Self {
        Self {
            rate: Rate::new(bits_per_second),
            survey: Survey::default(),
        }
    }

    /// Plans a picture, has it encoded by `encode(quantizer, key)`, and judges the unit.
    ///
    /// # Errors
    /// Those of `encode`.
    pub fn encode(
        &mut self,
        picture: &Picture,
        ask: Ask,
        mut encode: impl FnMut(u8, bool) -> Result<Unit, CodecError>,
    ) -> Result<Encoded, CodecError> {
        let scene = Scene {
            now_us: ask.arrival_us,
            key: ask.key,
            refine: ask.refine,
            scroll: ask.scroll.is_some(),
            little: ask.dirty <= LITTLE_ROWS,
            seen: self.survey.look(picture),
        };
        let Plan::Encode { qp, key } = self.rate.plan(&scene) else {
            return Ok(Encoded::Skipped);
        };
        let mut unit = encode(qp, key)?;
        let mut verdict = self.rate.judge(&scene, qp, unit.key, bits(&unit), false);
        if let Verdict::Again { qp } = verdict {
            unit = encode(qp, true)?;
            verdict = self.rate.judge(&scene, qp, true, bits(&unit), true);
        }
        if verdict != Verdict::Send {
            return Ok(Encoded::Skipped);
        }
        self.survey.keep();
        Ok(Encoded::Unit(unit))
    }
}

fn bits(unit: &Unit) -> u64 {
    unit.data.len() as u64 * 8
}
