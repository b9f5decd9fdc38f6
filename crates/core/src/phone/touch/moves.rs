//! Fingers that move: what a press becomes, and how a scroll, a slider, a selection and the photo follow.

use super::super::act::{place_in, slide};
use super::super::font::Fonts;
use super::super::picture::View;
use super::super::scroll::Scroll;
use super::super::state::State;
use super::super::ui::Frame;
use super::{Gesture, Touch, distance, release};

impl Touch {
    /// The one finger that is down has moved, or is the one left of two.
    pub(super) fn drag(
        &mut self,
        at: (f32, f32),
        state: &mut State,
        frame: &Frame,
        fonts: &mut Fonts,
        now: f64,
    ) {
        let (w, h) = state.size();
        let dp = state.model.density();
        match &mut self.gesture {
            Gesture::Press {
                at: from, velocity, ..
            } => {
                velocity.add(now, f64::from(at.1));
                let (from, moved) = (*from, (at.0 - from.0, at.1 - from.1));
                if moved.0.abs().max(moved.1.abs()) < 8.0 * dp {
                    return;
                }
                let velocity = velocity.clone();
                release(state, now);
                let edge = 18.0 * dp;
                self.gesture = Gesture::Idle;
                if from.1 > h as f32 - 24.0 * dp && moved.1 < 0.0 {
                    // Only a swipe that goes on upward leads home.
                    self.gesture = Gesture::Press {
                        at: from,
                        since: f64::INFINITY,
                        target: None,
                        caught: true,
                        velocity,
                    };
                    if moved.1 < -56.0 * dp {
                        self.gesture = Gesture::Idle;
                        state.home(now);
                    }
                } else if (from.0 < edge && moved.0 > 0.0)
                    || (from.0 > w as f32 - edge && moved.0 < 0.0)
                {
                    if moved.0.abs() > moved.1.abs() {
                        state.back(now);
                    }
                } else if let Some(photo) = frame.photo {
                    self.gesture = Gesture::Pan {
                        from: at,
                        view: state.photo,
                        photo,
                    };
                } else if let Some(area) = frame
                    .areas
                    .iter()
                    .rev()
                    .find(|area| area.rect.contains(from.0, from.1))
                {
                    let (place, _) = state
                        .scrolls
                        .get(&area.page)
                        .copied()
                        .unwrap_or_default()
                        .at(now, area.max);
                    self.gesture = Gesture::Scroll {
                        page: area.page.clone(),
                        grip: place + f64::from(at.1),
                        max: area.max,
                        velocity,
                    };
                }
            }
            Gesture::Scroll {
                page,
                grip,
                max,
                velocity,
            } => {
                velocity.add(now, f64::from(at.1));
                let place = (*grip - f64::from(at.1)).clamp(0.0, *max);
                // Past an end the grip slips, so that turning back answers at once.
                *grip = place + f64::from(at.1);
                state.scrolls.insert(page.clone(), Scroll::Rest(place));
            }
            Gesture::Slide { name, left, width } => {
                slide(state, &name.clone(), *left, *width, at.0)
            }
            Gesture::Select { name } => {
                let name = name.clone();
                if let Some(place) = place_in(fonts, state, frame, &name, at) {
                    state.field(&name).put(place, true);
                }
            }
            Gesture::Pan { from, view, photo } => {
                let (dx, dy) = (
                    (at.0 - from.0) / photo.w as f32,
                    (at.1 - from.1) / photo.h as f32,
                );
                state.photo = View {
                    zoom: view.zoom,
                    x: view.x - dx / view.zoom,
                    y: view.y - dy / view.zoom,
                }
                .inside();
            }
            Gesture::Pinch { .. } => {
                // One of two fingers has gone: the other pans on from here.
                if let Some(photo) = frame.photo {
                    self.gesture = Gesture::Pan {
                        from: at,
                        view: state.photo,
                        photo,
                    };
                }
            }
            Gesture::Idle | Gesture::Paint => {}
        }
    }

    /// Two fingers zoom the photo and carry it along.
    pub(super) fn pinch(
        &mut self,
        a: (f32, f32),
        b: (f32, f32),
        state: &mut State,
        frame: &Frame,
        now: f64,
    ) {
        let middle = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
        let apart = distance(a, b).max(1.0);
        if let Gesture::Pinch {
            distance,
            middle: from,
            view,
            photo,
        } = &self.gesture
        {
            let zoom = (view.zoom * apart / distance).clamp(1.0, 8.0);
            let (w, h) = (photo.w as f32, photo.h as f32);
            // What was under the fingers' middle stays under it.
            let (u, v) = (
                view.x + (from.0 - w / 2.0) / (w * view.zoom),
                view.y + (from.1 - h / 2.0) / (h * view.zoom),
            );
            let (x, y) = (
                u - (middle.0 - w / 2.0) / (w * zoom),
                v - (middle.1 - h / 2.0) / (h * zoom),
            );
            state.photo = View { zoom, x, y }.inside();
            return;
        }
        release(state, now);
        self.gesture = match frame.photo {
            Some(photo) => Gesture::Pinch {
                distance: apart,
                middle,
                view: state.photo,
                photo,
            },
            None => Gesture::Idle,
        };
    }
}
