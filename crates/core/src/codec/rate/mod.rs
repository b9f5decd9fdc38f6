//! Rate control of our own: which quantizer the next picture gets, so that the picture is as good as the link allows, a
//! key frame looks like the picture before it, and no two seconds carry more than 1.25 times the rate.
//!
//! It lives on arrival times, not on a frame count: a pause refills the bucket. It is pure: numbers in, numbers out.

mod drive;
mod survey;
mod window;

pub use drive::Drive;
pub use survey::{Seen, Survey};
use window::Window;

/// Lowest quantizer while something moves: finer costs bits that no one sees.
const FLOOR: f64 = 24.0;
/// The same while a page scrolls: every picture codes all of it, and no one reads text that moves.
const SCROLL_FLOOR: f64 = 25.0;
/// The same while little changes, as where someone types: what is coded is then as fine as a refined picture, so that a
/// pause needs no refinement.
const LITTLE_FLOOR: f64 = REFINED;
/// Coarsest quantizer; behind it pictures are skipped.
const COARSEST: f64 = 50.0;
/// Above this quantizer a picture is visibly coarse.
const COARSE: f64 = 34.0;
/// Above this quantizer it is the rate that keeps the picture from its floor.
const SHORT: f64 = 28.0;
/// Quantizer that refinement goes down to.
const REFINED: f64 = 20.0;
/// A picture this close to [`REFINED`] is left alone.
const REFINE_SLACK: f64 = 1.0;
/// Re-encodes of one still picture, at most.
const REFINEMENTS: u32 = 3;
/// How fast the quantizer may fall while something moves: a finer one codes also what did not change again.
const FALL: f64 = 6.0;
/// Quantizer steps that halve a unit's bits, measured on screens.
const HALVING: f64 = 8.5;
/// Seconds of the rate that the bucket holds when it is full.
const BUCKET: f64 = 0.7;
/// The same for a key frame.
const KEY_BUCKET: f64 = 1.0;
/// Seconds of the rate that lie in the bucket while content is heavier than the rate.
const REST: f64 = 0.45;
/// Share of the way back to [`REST`] that one picture goes.
const PULL: f64 = 0.2;
/// Share of the rate's flow that a picture gets however full the bucket is.
const LEAST_FLOW: f64 = 0.75;
/// Seconds of the rate that a key frame may take: more would keep a joining viewer waiting.
const KEY_SHARE: f64 = 0.6;
/// The same for the first of a stream, which has no picture to match and is refined soon.
const FIRST_SHARE: f64 = 0.25;
/// A level of the bucket, in seconds of the rate, at which a unit is far over and coded again.
const FAR_OVER: f64 = 0.9;
/// How far each load step raises the floor.
const LOAD_STEP: f64 = 3.0;

/// A rate below this carries no picture, in bits a second.
const LEAST_RATE: u32 = 10_000;

/// How a picture is coded; each kind has its own cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key,
    Scroll,
    Change,
    Refine,
}

/// One picture to be coded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scene {
    /// When, in microseconds of a clock that only goes forward.
    pub now_us: u64,
    /// It must be a key unit.
    pub key: bool,
    /// It is the same picture again, to be coded better.
    pub refine: bool,
    /// It is the last picture moved.
    pub scroll: bool,
    /// Few of its rows changed.
    pub little: bool,
    /// What was measured.
    pub seen: Seen,
}

/// What to do with a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plan {
    /// Encode it so.
    Encode {
        /// Quantizer, 0 to 51.
        qp: u8,
        /// As an IDR.
        key: bool,
    },
    /// Leave it: the bucket is too full even for the coarsest quantizer.
    Skip,
}

/// What to do with an encoded unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It goes out, and is accounted.
    Send,
    /// It is far too large: throw it away and encode the picture as an IDR (nothing may refer to what is thrown away).
    Again {
        /// Quantizer of the IDR.
        qp: u8,
    },
    /// It cannot go out within the bound: throw it away; the next unit must be an IDR.
    Drop,
}

/// Rate control of one stream.
#[derive(Debug)]
pub struct Rate {
    rate: f64,
    /// A higher rate that counts from the next picture on.
    risen: Option<f64>,
    window: Window,
    level: f64,
    now_us: u64,
    interval_s: f64,
    /// Bits for each unit of what was seen, at quantizer 26: key, scroll, change, refine.
    cost: [f64; 4],
    /// Quantizer that the picture on the viewers' screens was coded at.
    coded: Option<f64>,
    refinements: u32,
    /// The viewers' picture is older than the newest.
    stale: bool,
    owes_key: bool,
    load_step: u8,
    skipped: u64,
}

impl Rate {
    /// For a target in bits a second.
    #[must_use]
    pub fn new(bits_per_second: u32) -> Self {
        let rate = f64::from(bits_per_second.max(LEAST_RATE));
        Self {
            rate,
            risen: None,
            window: Window::new(rate),
            level: 0.0,
            now_us: 0,
            interval_s: 1.0 / 30.0,
            // What drawn pages and captured screens cost; the first units of a stream correct it.
            cost: [0.15, 0.01, 0.01, 0.1],
            coded: None,
            refinements: 0,
            stale: false,
            owes_key: true,
            load_step: 0,
            skipped: 0,
        }
    }

    /// Another target, in bits a second. The moment is not told, so a lower one counts from the last picture on and a
    /// higher one from the next: never in favour of more bits than the bound allows.
    pub fn set_rate(&mut self, bits_per_second: u32) {
        let rate = f64::from(bits_per_second.max(LEAST_RATE));
        self.risen = (rate > self.rate).then_some(rate);
        if rate < self.rate {
            self.change_rate(rate);
        }
    }

    fn change_rate(&mut self, rate: f64) {
        self.rate = rate;
        self.window.set_rate(self.now_us, rate);
        self.level = self.level.min(rate * BUCKET * 0.8);
    }

    /// 0 is full quality; each step raises the floor in motion, which takes time and bits off every unit.
    pub fn set_load_step(&mut self, step: u8) {
        self.load_step = step.min(6);
    }

    /// The next unit must be a key unit: the encoder lost what viewers have.
    pub fn owe_key(&mut self) {
        self.owes_key = true;
    }

    /// Pictures left out so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Bits are so short that the picture is visibly coarse: time spent on saving them pays.
    #[must_use]
    pub fn coarse(&self) -> bool {
        self.coded.is_some_and(|qp| qp > COARSE)
    }

    /// Bits are short: those for what is hardly seen are better spent elsewhere.
    #[must_use]
    pub fn short(&self) -> bool {
        self.coded.is_some_and(|qp| qp > SHORT)
    }

    /// Would coding the same picture again improve what viewers see?
    #[must_use]
    pub fn wants_refinement(&self) -> bool {
        self.stale
            || self
                .coded
                .is_some_and(|qp| qp > REFINED + REFINE_SLACK && self.refinements < REFINEMENTS)
    }

    /// Chooses the quantizer of a picture.
    pub fn plan(&mut self, scene: &Scene) -> Plan {
        self.advance(scene.now_us);
        let key = scene.key || self.owes_key;
        let refine = scene.refine && !self.stale && !key;
        if refine && !self.wants_refinement() {
            return Plan::Skip;
        }
        let kind = self.kind(scene, key);
        let room = self.window.room(self.now_us);
        let wanted = self.wanted(kind).min(room);
        let finest = self.finest(kind, scene);
        let qp = self.quantizer(kind, scene, finest, wanted);
        if refine && self.coded.is_some_and(|coded| qp > coded - 1.0) {
            return Plan::Skip;
        }
        // An estimate is half too high as often as too low, and a picture left out is worse than one too large.
        let least = self.estimate(kind, scene, COARSEST) * 0.6;
        // A joining viewer waits for a key frame, so it may go in where a change may not.
        let depth = if key { KEY_BUCKET } else { BUCKET };
        let fits = self.level + least <= self.rate * depth || self.level < self.rate * 0.02;
        if least > room || !fits {
            self.leave_out(scene, key);
            return Plan::Skip;
        }
        Plan::Encode {
            qp: qp.round() as u8,
            key,
        }
    }

    /// Judges the unit that the plan gave; `again` says that it is the second of one picture.
    pub fn judge(&mut self, scene: &Scene, qp: u8, key: bool, bits: u64, again: bool) -> Verdict {
        let (kind, size) = (self.kind(scene, key), bits as f64);
        self.learn(kind, scene, f64::from(qp), size);
        let room = self.window.room(self.now_us);
        let far_over = self.level + size > self.rate * FAR_OVER && size > 1.3 * self.wanted(kind);
        if size > room || (far_over && !again) {
            let wanted = (self.rate * BUCKET - self.level)
                .max(self.rate * 0.1)
                .min(room);
            let finest = (f64::from(qp) + 4.0).min(COARSEST);
            let coarser = self.quantizer(Kind::Key, scene, finest, wanted);
            let helps = self.estimate(Kind::Key, scene, coarser) < size * 0.75;
            if !again && coarser > f64::from(qp) && (helps || size > room) {
                return Verdict::Again {
                    qp: coarser.round() as u8,
                };
            }
            if size > room {
                self.leave_out(scene, true);
                return Verdict::Drop;
            }
        }
        self.window.add(self.now_us, bits);
        self.level += size;
        self.coded = Some(f64::from(qp));
        self.owes_key = false;
        self.stale = false;
        self.refinements = if scene.refine {
            self.refinements + 1
        } else {
            0
        };
        Verdict::Send
    }

    fn leave_out(&mut self, scene: &Scene, key: bool) {
        self.skipped += u64::from(!scene.refine);
        self.stale = true;
        self.owes_key |= key;
    }

    fn advance(&mut self, now_us: u64) {
        let now_us = now_us.max(self.now_us);
        let passed = (now_us - self.now_us) as f64 / 1e6;
        if self.now_us > 0 {
            self.interval_s = passed.clamp(1.0 / 120.0, 0.1);
        }
        self.level = (self.level - passed * self.rate).max(0.0);
        self.now_us = now_us;
        if let Some(rate) = self.risen.take() {
            self.change_rate(rate);
        }
    }

    fn kind(&self, scene: &Scene, key: bool) -> Kind {
        match scene {
            _ if key => Kind::Key,
            Scene { refine: true, .. } if !self.stale => Kind::Refine,
            Scene { scroll: true, .. } => Kind::Scroll,
            _ => Kind::Change,
        }
    }

    /// Bits that a picture of this kind should take now.
    fn wanted(&self, kind: Kind) -> f64 {
        match kind {
            Kind::Key if self.coded.is_none() => self.rate * FIRST_SHARE,
            Kind::Key => (self.rate * KEY_SHARE - self.level).max(self.rate * 0.15),
            Kind::Refine => (self.rate * REST - self.level).max(0.0),
            Kind::Scroll | Kind::Change => {
                let flow = self.rate * self.interval_s;
                (flow + (self.rate * REST - self.level) * PULL).max(flow * LEAST_FLOW)
            }
        }
    }

    fn finest(&self, kind: Kind, scene: &Scene) -> f64 {
        let floor = match kind {
            Kind::Scroll => SCROLL_FLOOR,
            Kind::Change if scene.little => LITTLE_FLOOR,
            _ => FLOOR,
        } + LOAD_STEP * f64::from(self.load_step);
        match (kind, self.coded) {
            (Kind::Refine, Some(coded)) => {
                let left = f64::from(REFINEMENTS - self.refinements.min(REFINEMENTS - 1));
                (coded - ((coded - REFINED) / left).max(5.0)).max(REFINED)
            }
            (Kind::Key, Some(coded)) => coded.clamp(REFINED, COARSEST),
            (_, Some(coded)) => floor.max(coded - FALL),
            (_, None) => floor,
        }
    }

    /// The finest quantizer from `finest` on at which a picture takes no more than `wanted` bits.
    fn quantizer(&self, kind: Kind, scene: &Scene, finest: f64, wanted: f64) -> f64 {
        let mut qp = finest;
        while qp < COARSEST && self.estimate(kind, scene, qp) > wanted {
            qp += 1.0;
        }
        qp.min(COARSEST)
    }

    fn estimate(&self, kind: Kind, scene: &Scene, qp: f64) -> f64 {
        let alone = self.cost[Kind::Key as usize] * scene.seen.detail * scale(qp);
        let fresh = self.cost[kind as usize] * measure(kind, scene);
        match kind {
            Kind::Key => alone,
            Kind::Refine => self.refining(scene, qp),
            // A changed picture costs no more than one coded alone.
            Kind::Scroll | Kind::Change => {
                (fresh * scale(qp) + self.refining(scene, qp)).min(alone * 1.2)
            }
        }
    }

    /// Bits to bring what is on the viewers' screens from its quantizer to a finer one.
    fn refining(&self, scene: &Scene, qp: f64) -> f64 {
        let finer = self
            .coded
            .map_or(0.0, |coded| (scale(qp) - scale(coded)).max(0.0));
        self.cost[Kind::Refine as usize] * scene.seen.detail * finer
    }

    fn learn(&mut self, kind: Kind, scene: &Scene, qp: f64, bits: f64) {
        let (measure, scaled, rest) = match kind {
            Kind::Key => (scene.seen.detail, scale(qp), 0.0),
            Kind::Refine => (
                scene.seen.detail,
                self.coded.map_or(0.0, |coded| scale(qp) - scale(coded)),
                0.0,
            ),
            Kind::Scroll | Kind::Change => (scene.seen.change, scale(qp), self.refining(scene, qp)),
        };
        if measure * scaled < 1000.0 {
            return;
        }
        let observed = (bits - rest).max(bits * 0.2) / (measure * scaled);
        let cost = &mut self.cost[kind as usize];
        // A unit dearer than thought is believed at once; a cheaper one by half.
        let trust = if observed > *cost { 0.9 } else { 0.5 };
        *cost = (*cost * (observed / *cost).powf(trust)).clamp(1e-4, 4.0);
    }
}

/// Bits at a quantizer, against those at 26.
fn scale(qp: f64) -> f64 {
    ((26.0 - qp) / HALVING).exp2()
}

fn measure(kind: Kind, scene: &Scene) -> f64 {
    match kind {
        Kind::Key | Kind::Refine => scene.seen.detail,
        Kind::Scroll | Kind::Change => scene.seen.change,
    }
}

#[cfg(test)]
mod tests;
