//! The test phone: its logic and its drawing. Deterministic, with every time handed in; its process owns the clock, the
//! socket and the log.
//!
//! One road: fingers, keys and commands change [`state`]; [`view`] makes a [`ui::Frame`] of it (what is drawn, what takes
//! touches, what a reader hears, from the same calls); [`list`] finds what differs from the frame before and draws that.

mod act;
pub mod canvas;
mod command;
pub mod edit;
pub mod font;
pub mod geom;
pub mod icons;
mod keys;
pub mod list;
pub mod model;
pub mod picture;
pub mod region;
pub mod saved;
pub mod scroll;
pub mod state;
pub mod theme;
pub mod touch;
pub mod ui;
pub mod view;

use std::path::Path;

use crate::frames::{Layout, PixelFormat};
use crate::pipeline::RgbStill;
use canvas::Canvas;
use font::Fonts;
use geom::Rect;
use icons::Icons;
use keys::Keys;
use list::Step;
use model::Model;
use region::Region;
use scroll::Scroll;
use state::{Scene, State};
use touch::{Contact, Touch};
use ui::{Element, Frame};

/// A phone.
pub struct Phone {
    state: State,
    touch: Touch,
    keys: Keys,
    fonts: Fonts,
    icons: Icons,
    frame: Frame,
    canvas: Canvas,
    /// What the canvas shows; empty: nothing that counts.
    drawn: Vec<Step>,
    region: Option<Region>,
}

impl Phone {
    /// A phone that has just been switched on. `wall_ms` is the wall clock its status bar shows.
    ///
    /// # Errors
    /// In words, when there is no such model.
    pub fn new(model: &str, scene: Scene, wall_ms: f64) -> Result<Self, String> {
        let state = State::new(Model::named(model)?, scene, wall_ms);
        let (w, h) = state.size();
        let mut phone = Self {
            state,
            touch: Touch::default(),
            keys: Keys::default(),
            fonts: Fonts::new(),
            icons: Icons::default(),
            frame: Frame::default(),
            canvas: Canvas::new(w as usize, h as usize),
            drawn: Vec::new(),
            region: None,
        };
        phone.rebuild(0.0);
        Ok(phone)
    }

    /// Draws into this client's region from now on.
    ///
    /// # Errors
    /// In words, when it cannot be mapped or is too small for the largest picture.
    pub fn open_region(&mut self, path: &Path, bytes: usize) -> Result<(), String> {
        let needed = self.state.model.region_bytes();
        if bytes < needed {
            return Err(format!(
                "The region has {bytes} bytes; {} needs {needed}.",
                self.state.model.name
            ));
        }
        self.region = Some(Region::open(path, bytes)?);
        // A new region holds nothing yet, so the next draw is whole.
        self.drawn.clear();
        Ok(())
    }

    /// Draws into no region.
    pub fn close_region(&mut self) {
        self.region = None;
    }

    /// The picture's size in pixels as the device is held; 0, 0 while the screen is off.
    #[must_use]
    pub fn size(&self) -> (i32, i32) {
        if self.state.awake {
            self.state.size()
        } else {
            (0, 0)
        }
    }

    /// Moves everything that moves to this monotonic time. True: the picture differs from what is drawn.
    pub fn advance(&mut self, now: f64, wall_ms: f64) -> bool {
        if self.state.scene != Scene::Still {
            self.state.wall_ms = wall_ms;
        }
        self.touch
            .tick(&mut self.state, &self.frame, &mut self.fonts, now);
        self.state
            .ripples
            .retain(|ripple| ripple.until.is_none_or(|until| now < until + 260.0));
        if self
            .state
            .toast
            .as_ref()
            .is_some_and(|(_, until)| now >= *until)
        {
            self.state.toast = None;
        }
        self.rebuild(now);
        self.state.awake && self.frame.steps != self.drawn
    }

    /// When [`Self::advance`] has something to do next: 0 at the next frame, else a monotonic time, or never.
    #[must_use]
    pub fn next_ms(&self) -> Option<f64> {
        if !self.state.awake {
            return None;
        }
        if self.frame.moving {
            return Some(0.0);
        }
        match (self.frame.wake, self.touch.wake()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Draws what differs, and copies it into the region.
    ///
    /// # Errors
    /// In words, when the region has gone bad.
    pub fn draw(&mut self) -> Result<(), String> {
        let (w, h) = self.state.size();
        let (width, height) = (w as usize, h as usize);
        if (self.canvas.width(), self.canvas.height()) != (width, height) {
            self.canvas = Canvas::new(width, height);
            self.drawn.clear();
        }
        let whole = Rect::new(0, 0, w, h);
        let dirty = if self.drawn.is_empty() {
            whole
        } else {
            list::damage(&self.drawn, &self.frame.steps).intersect(&whole)
        };
        if !dirty.is_empty() {
            list::draw(
                &self.frame.steps,
                dirty,
                &mut self.canvas,
                &mut self.fonts,
                &mut self.icons,
            );
            if let Some(region) = &mut self.region {
                let (from, to) = (
                    dirty.y as usize * width * 3,
                    dirty.bottom() as usize * width * 3,
                );
                region.write(from, &self.canvas.data()[from..to])?;
            }
        }
        self.drawn.clone_from(&self.frame.steps);
        Ok(())
    }

    /// The screen at this moment, drawn apart from the region, which is never read nor written; none while the screen is off.
    pub fn still(&mut self) -> Option<RgbStill> {
        let (w, h) = self.size();
        if w == 0 {
            return None;
        }
        let mut canvas = Canvas::new(w as usize, h as usize);
        let whole = Rect::new(0, 0, w, h);
        list::draw(
            &self.frame.steps,
            whole,
            &mut canvas,
            &mut self.fonts,
            &mut self.icons,
        );
        Some(RgbStill {
            pixels: canvas.into_data(),
            layout: Layout {
                width: w as u32,
                height: h as u32,
                format: PixelFormat::Rgb888,
                bottom_up: false,
            },
            generation: 0,
        })
    }

    /// Every finger now down, in the natural panel's pixels. A sleeping phone feels nothing.
    pub fn touch(&mut self, contacts: &[Contact], now: f64) {
        if !self.state.awake {
            return;
        }
        let (orientation, panel) = (self.state.saved.orientation, self.state.panel());
        let sensor = self.state.model.touch_panel();
        // A pixel's centre stays a centre where the sensor is stretched onto another screen.
        let stretch = |at: f32, from: i32, to: i32| (at + 0.5) * to as f32 / from as f32 - 0.5;
        let shown: Vec<Contact> = contacts
            .iter()
            .map(|c| {
                let (x, y) = (
                    stretch(c.x, sensor.0, panel.0),
                    stretch(c.y, sensor.1, panel.1),
                );
                let (x, y) = orientation.panel_to_picture(panel, x, y);
                Contact { id: c.id, x, y }
            })
            .collect();
        self.touch
            .apply(&shown, &mut self.state, &self.frame, &mut self.fonts, now);
        self.rebuild(now);
    }

    /// A key by its W3C name.
    pub fn key(&mut self, key: &str, down: bool, now: f64) {
        if matches!(key, "Power" | "Standby") && down {
            self.state.awake = !self.state.awake;
            self.touch.cancel(&mut self.state, now);
        } else if key == "WakeUp" && down {
            self.state.awake = true;
        } else if self.state.awake {
            self.keys
                .apply(key, down, &mut self.state, &self.frame, now);
        }
        self.rebuild(now);
        self.show_caret(now);
    }

    /// What a reader of the screen hears; empty while it is off.
    #[must_use]
    pub fn tree(&self) -> &[Element] {
        if self.state.awake {
            &self.frame.elements
        } else {
            &[]
        }
    }

    /// What is drawn.
    #[must_use]
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    fn rebuild(&mut self, now: f64) {
        self.frame = view::build(&self.state, &mut self.fonts, now);
    }

    /// Scrolls so that the caret is seen, after something was typed.
    fn show_caret(&mut self, now: f64) {
        let (Some(caret), Some(area)) = (self.frame.caret, self.frame.areas.last()) else {
            return;
        };
        let margin = (self.state.model.density() * 28.0) as i32;
        let over = area.rect.y - caret.y;
        let under = caret.bottom() + margin - area.rect.bottom();
        let by = if over > 0 { -over } else { under.max(0) };
        if by != 0 {
            let at = self
                .state
                .scrolls
                .get(&area.page)
                .copied()
                .unwrap_or_default()
                .at(now, area.max)
                .0;
            self.state.scrolls.insert(
                area.page.clone(),
                Scroll::Rest((at + f64::from(by)).clamp(0.0, area.max)),
            );
            self.rebuild(now);
        }
    }
}

#[cfg(test)]
mod tests;
