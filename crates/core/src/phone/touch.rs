//! From fingers to what they mean: taps, long presses, scrolls with a fling, sliders, pinches, swipes from the edges.

mod moves;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::act::{act, place_in, slide};
use super::font::Fonts;
use super::geom::Rect;
use super::picture::View;
use super::scroll::{Scroll, Velocity};
use super::state::{Action, MOST_MARKS, Mark, Page, Ripple, State};
use super::ui::{Frame, Target};

/// A press this long is a long one, in ms.
pub const LONG_PRESS_MS: f64 = 450.0;
/// Two taps within this are a double tap, in ms.
const DOUBLE_TAP_MS: f64 = 320.0;

/// One finger, in the natural panel's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Contact {
    /// 0 to 9.
    pub id: u8,
    /// Across.
    pub x: f32,
    /// Down.
    pub y: f32,
}

#[derive(Clone, Debug)]
enum Gesture {
    /// No finger, or one whose part is played.
    Idle,
    /// Fingers on the sheet, until the last one leaves.
    Paint,
    Press {
        at: (f32, f32),
        since: f64,
        target: Option<Target>,
        caught: bool,
        velocity: Velocity,
    },
    Scroll {
        page: Page,
        grip: f64,
        max: f64,
        velocity: Velocity,
    },
    Slide {
        name: String,
        left: i32,
        width: i32,
    },
    Select {
        name: String,
    },
    Pan {
        from: (f32, f32),
        view: View,
        photo: Rect,
    },
    Pinch {
        distance: f32,
        middle: (f32, f32),
        view: View,
        photo: Rect,
    },
}

/// The fingers now down and what they are doing.
#[derive(Debug)]
pub struct Touch {
    fingers: BTreeMap<u8, (f32, f32)>,
    gesture: Gesture,
    last_tap: Option<(f64, (f32, f32))>,
}

impl Default for Touch {
    fn default() -> Self {
        Self {
            fingers: BTreeMap::new(),
            gesture: Gesture::Idle,
            last_tap: None,
        }
    }
}

fn distance(a: (f32, f32), b: (f32, f32)) -> f32 {
    ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt()
}

impl Touch {
    /// When a finger at rest becomes a long press, in ms.
    #[must_use]
    pub fn wake(&self) -> Option<f64> {
        match &self.gesture {
            Gesture::Press {
                since,
                target: Some(_),
                ..
            } => Some(since + LONG_PRESS_MS),
            _ => None,
        }
    }

    /// How many fingers are down.
    #[must_use]
    pub fn count(&self) -> usize {
        self.fingers.len()
    }

    /// Forgets the fingers without doing anything: the screen under them has gone.
    pub fn cancel(&mut self, state: &mut State, now: f64) {
        self.gesture = Gesture::Idle;
        release(state, now);
    }

    /// Every finger now down, in the picture's pixels.
    pub fn apply(
        &mut self,
        contacts: &[Contact],
        state: &mut State,
        frame: &Frame,
        fonts: &mut Fonts,
        now: f64,
    ) {
        let now_down = contacts.iter().map(|c| (c.id, (c.x, c.y))).collect();
        let before = std::mem::replace(&mut self.fingers, now_down);
        if self.paint(&before, state, frame) {
            return;
        }
        let before = before.len();
        let fingers: Vec<(f32, f32)> = self.fingers.values().copied().collect();
        match (before, fingers.as_slice()) {
            (_, []) => self.end(state, frame, fonts, now),
            (0, [at]) => self.begin(*at, state, frame, now),
            (_, [at]) => self.drag(*at, state, frame, fonts, now),
            (_, [a, b, ..]) => self.pinch(*a, *b, state, frame, now),
        }
    }

    /// Fingers on the sheet leave their lines. False: they are not on it.
    fn paint(
        &mut self,
        before: &BTreeMap<u8, (f32, f32)>,
        state: &mut State,
        frame: &Frame,
    ) -> bool {
        let Some(sheet) = frame.sheet else {
            return false;
        };
        let starts =
            before.is_empty() && self.fingers.values().any(|at| sheet.contains(at.0, at.1));
        if !starts && !matches!(self.gesture, Gesture::Paint) {
            return false;
        }
        self.gesture = if self.fingers.is_empty() {
            Gesture::Idle
        } else {
            Gesture::Paint
        };
        for (&finger, &to) in &self.fingers {
            let from = before.get(&finger).copied().unwrap_or(to);
            if from == to && before.contains_key(&finger) {
                continue;
            }
            if state.marks.len() >= MOST_MARKS {
                state.marks.drain(..MOST_MARKS / 8);
            }
            state.marks.push(Mark { finger, from, to });
        }
        true
    }

    fn begin(&mut self, at: (f32, f32), state: &mut State, frame: &Frame, now: f64) {
        let mut caught = false;
        if let Some(area) = frame
            .areas
            .iter()
            .rev()
            .find(|area| area.rect.contains(at.0, at.1))
        {
            let scroll = state.scrolls.entry(area.page.clone()).or_default();
            let (place, moving) = scroll.at(now, area.max);
            *scroll = Scroll::Rest(place);
            caught = moving;
        }
        let target = frame
            .targets
            .iter()
            .rev()
            .find(|target| target.rect.contains(at.0, at.1))
            .cloned();
        if let Some(Target {
            action: Action::Slide { name, left, width },
            ..
        }) = &target
        {
            let (name, left, width) = (name.clone(), *left, *width);
            slide(state, &name, left, width, at.0);
            self.gesture = Gesture::Slide { name, left, width };
            return;
        }
        if let Some(target) = target
            .as_ref()
            .filter(|target| !caught && ripples(&target.action, state))
        {
            state.ripples.push(Ripple {
                rect: target.rect,
                radius: target.radius,
                at,
                since: now,
                until: None,
            });
        }
        let mut velocity = Velocity::default();
        velocity.add(now, f64::from(at.1));
        self.gesture = Gesture::Press {
            at,
            since: now,
            target,
            caught,
            velocity,
        };
    }

    fn end(&mut self, state: &mut State, frame: &Frame, fonts: &mut Fonts, now: f64) {
        match std::mem::replace(&mut self.gesture, Gesture::Idle) {
            Gesture::Press {
                at,
                target,
                caught: false,
                ..
            } => {
                release(state, now);
                let double = self.last_tap.is_some_and(|(then, place)| {
                    now - then < DOUBLE_TAP_MS && distance(place, at) < 24.0 * state.model.density()
                });
                self.last_tap = (!double).then_some((now, at));
                match target {
                    Some(target) => act(&target.action, at, double, (state, frame, fonts), now),
                    None if double && frame.photo.is_some() => {
                        state.photo = if state.photo.zoom > 1.0 {
                            View::WHOLE
                        } else {
                            View {
                                zoom: 2.5,
                                ..state.photo
                            }
                            .inside()
                        };
                    }
                    None => {}
                }
            }
            Gesture::Scroll {
                page,
                grip,
                velocity,
                ..
            } => {
                // The page goes the other way than the finger.
                state.scrolls.insert(
                    page,
                    Scroll::fling(grip - velocity.last(), -velocity.speed(now), now),
                );
            }
            _ => release(state, now),
        }
    }

    /// A finger that has rested long enough.
    pub fn tick(&mut self, state: &mut State, frame: &Frame, fonts: &mut Fonts, now: f64) {
        let Gesture::Press {
            at,
            since,
            target: Some(target),
            caught: false,
            ..
        } = &self.gesture
        else {
            return;
        };
        if now < since + LONG_PRESS_MS {
            return;
        }
        let at = *at;
        if let Action::Edit(name) = &target.action {
            let name = name.clone();
            if let Some(place) = place_in(fonts, state, frame, &name, at) {
                state.field(&name).select_word(place);
                state.focus = Some(name.clone());
                state.caret_since = now;
                self.gesture = Gesture::Select { name };
                return;
            }
        }
        // Held on anything else: the finger's part is played, as on a phone where nothing listens for it.
        release(state, now);
        self.gesture = Gesture::Idle;
    }
}

/// Does a touch on it show? Not on text, nor on a dialog's own ground and what lies round it.
fn ripples(action: &Action, state: &State) -> bool {
    match action {
        Action::Edit(_) | Action::Answer(false) => false,
        Action::Ask => !state.dialog,
        _ => true,
    }
}

/// Every ripple fades from now.
fn release(state: &mut State, now: f64) {
    for ripple in &mut state.ripples {
        ripple.until.get_or_insert(now.max(ripple.since + 120.0));
    }
}
