//! Everything a phone knows, apart from how it is drawn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::edit::Editor;
use super::geom::Rect;
use super::model::Model;
use super::picture::View;
use super::saved::{FONT_SCALES, Network, Saved};
use super::scroll::Scroll;

/// What the phone does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scene {
    /// A phone in use: the clock ticks, the caret blinks.
    Demo,
    /// Nothing changes unless it is touched.
    Still,
    /// Something moves all the time.
    Busy,
}

/// A screen one can be on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Page {
    /// The launcher.
    Home,
    /// The apps in use.
    Recents,
    /// The settings list.
    Settings,
    /// A setting's own page, by its row.
    Setting(usize),
    /// Text.
    Notes,
    /// One of each control.
    Controls,
    /// The photo.
    Photos,
    /// Known flat colours.
    Colours,
    /// A sheet that fingers draw on.
    Paint,
    /// The address that was opened.
    Browser,
    /// Always moving.
    Busy,
    /// An installed app, by its place.
    App(usize),
}

/// What a touch on a target does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Opens a page as an app of its own.
    Launch(Page),
    /// Opens a page on this one.
    Open(Page),
    /// Back.
    Back,
    /// Flips a switch.
    Flip(String),
    /// Moves a slider whose track lies from `left`, `width` pixels wide.
    Slide {
        /// Which.
        name: String,
        /// Pixels.
        left: i32,
        /// Pixels.
        width: i32,
    },
    /// Puts the caret into a field.
    Edit(String),
    /// Shows the dialog.
    Ask,
    /// Ends the dialog; true: confirmed.
    Answer(bool),
    /// Brings an app back, by its place in recents.
    Resume(usize),
    /// Forgets every app in use.
    Forget,
    /// Wipes the sheet.
    Wipe,
}

/// A circle that grows from a touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Ripple {
    /// The target's box and corner radius.
    pub rect: Rect,
    /// Of the box, in pixels.
    pub radius: i32,
    /// Where the finger went down.
    pub at: (f32, f32),
    /// When, in ms.
    pub since: f64,
    /// When the finger left, in ms.
    pub until: Option<f64>,
}

/// A piece of a finger's line on the sheet, in the picture's pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Which finger.
    pub finger: u8,
    /// Where it was; where it is for a first touch.
    pub from: (f32, f32),
    /// Where it is.
    pub to: (f32, f32),
}

/// Marks kept; the oldest go.
pub const MOST_MARKS: usize = 4_000;

/// Something the phone tells its process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// Text was copied or cut on the phone.
    Clipboard {
        /// The text.
        text: String,
    },
    /// Something saved changed.
    Changed,
}

/// The phone's mind.
pub struct State {
    /// Which phone.
    pub model: Model,
    /// What it does by itself.
    pub scene: Scene,
    /// Seed of the busy page.
    pub seed: u32,
    /// What outlives a reboot.
    pub saved: Saved,
    /// The screen is on.
    pub awake: bool,
    /// Wall clock, ms.
    pub wall_ms: f64,
    /// Pages from home to the one in front.
    pub stack: Vec<Page>,
    /// Stacks of the apps in use, newest first.
    pub recents: Vec<Vec<Page>>,
    /// Scroll positions by page.
    pub scrolls: BTreeMap<Page, Scroll>,
    /// The photo's view.
    pub photo: View,
    /// What fingers drew on the sheet.
    pub marks: Vec<Mark>,
    /// The field with the caret.
    pub focus: Option<String>,
    /// When the caret last moved, in ms: it is lit from then.
    pub caret_since: f64,
    /// Is the dialog up?
    pub dialog: bool,
    /// A short message, and until when.
    pub toast: Option<(String, f64)>,
    /// The clipboard.
    pub clipboard: String,
    /// The address that was opened.
    pub url: String,
    /// Circles under fingers.
    pub ripples: Vec<Ripple>,
    /// When each switch was last flipped, in ms.
    pub flips: BTreeMap<String, f64>,
    /// When the page in front came, in ms, and from which side (1: from the right).
    pub page_since: (f64, f32),
    /// Since when the busy page moves, in ms.
    pub busy_since: f64,
    /// When it was started again, in ms: the first moments after show its mark.
    pub rebooted: f64,
    /// What to tell the process.
    pub events: Vec<Event>,
}

impl State {
    /// A phone that has just been switched on.
    #[must_use]
    pub fn new(model: Model, scene: Scene, wall_ms: f64) -> Self {
        Self {
            model,
            scene,
            seed: 1,
            saved: Saved::default(),
            awake: true,
            wall_ms,
            stack: if scene == Scene::Busy {
                vec![Page::Home, Page::Busy]
            } else {
                vec![Page::Home]
            },
            recents: Vec::new(),
            scrolls: BTreeMap::new(),
            photo: View::WHOLE,
            marks: Vec::new(),
            focus: None,
            caret_since: 0.0,
            dialog: false,
            toast: None,
            clipboard: String::new(),
            url: String::new(),
            ripples: Vec::new(),
            flips: BTreeMap::new(),
            page_since: (f64::NEG_INFINITY, 0.0),
            busy_since: 0.0,
            rebooted: f64::NEG_INFINITY,
            events: Vec::new(),
        }
    }

    /// The page in front.
    #[must_use]
    pub fn page(&self) -> &Page {
        self.stack.last().unwrap_or(&Page::Home)
    }

    /// The natural panel that shows.
    #[must_use]
    pub fn panel(&self) -> (i32, i32) {
        self.model.panel(self.saved.posture)
    }

    /// The picture's size as the device is held.
    #[must_use]
    pub fn size(&self) -> (i32, i32) {
        self.saved.orientation.picture(self.panel())
    }

    /// Is the switch on?
    #[must_use]
    pub fn switch(&self, name: &str) -> bool {
        match name {
            "dark-theme" => self.saved.dark,
            "airplane-mode" => self.saved.network == Network::Offline,
            _ => self
                .saved
                .switches
                .get(name)
                .copied()
                .unwrap_or_else(|| name.ends_with("-on")),
        }
    }

    /// A slider's place, 0 to 1.
    #[must_use]
    pub fn slider(&self, name: &str) -> f64 {
        match name {
            "font-size" => self.saved.font_step as f64 / (FONT_SCALES.len() - 1) as f64,
            _ => self.saved.sliders.get(name).copied().unwrap_or(0.5),
        }
    }

    /// Flips a switch.
    pub fn flip(&mut self, name: &str, now: f64) {
        match name {
            "dark-theme" => self.saved.dark = !self.saved.dark,
            "airplane-mode" => {
                self.saved.network = if self.saved.network == Network::Offline {
                    Network::Online
                } else {
                    Network::Offline
                };
            }
            _ => {
                let on = !self.switch(name);
                self.saved.switches.insert(name.to_owned(), on);
            }
        }
        self.flips.insert(name.to_owned(), now);
        self.changed();
    }

    /// Moves a slider to a place, 0 to 1.
    pub fn slide(&mut self, name: &str, to: f64) {
        let to = to.clamp(0.0, 1.0);
        if name == "font-size" {
            self.saved.font_step = (to * (FONT_SCALES.len() - 1) as f64).round() as usize;
        } else {
            self.saved
                .sliders
                .insert(name.to_owned(), (to * 1000.0).round() / 1000.0);
        }
        self.changed();
    }

    /// Something that is saved has changed.
    pub fn changed(&mut self) {
        if !self.events.contains(&Event::Changed) {
            self.events.push(Event::Changed);
        }
    }

    /// The text of a field.
    pub fn field(&mut self, name: &str) -> &mut Editor {
        self.saved.fields.entry(name.to_owned()).or_default()
    }

    /// Puts text on the clipboard from the phone's side.
    pub fn copy(&mut self, text: &str) {
        text.clone_into(&mut self.clipboard);
        self.events
            .retain(|event| !matches!(event, Event::Clipboard { .. }));
        self.events.push(Event::Clipboard {
            text: text.to_owned(),
        });
    }

    fn arrive(&mut self, now: f64, side: f32) {
        self.page_since = (now, side);
        self.focus = None;
        self.dialog = false;
        self.ripples.clear();
        if self.page() == &Page::Busy {
            self.busy_since = now;
        }
    }

    fn remember(&mut self) {
        if self.stack.len() > 1 && self.page() != &Page::Recents {
            let stack = self.stack.clone();
            self.recents.retain(|known| known[1] != stack[1]);
            self.recents.insert(0, stack);
            self.recents.truncate(8);
        }
    }

    /// Starts an app at its first page.
    pub fn launch(&mut self, page: Page, now: f64) {
        self.remember();
        self.stack = vec![Page::Home, page];
        self.arrive(now, 1.0);
    }

    /// Goes deeper.
    pub fn open(&mut self, page: Page, now: f64) {
        self.scrolls.remove(&page);
        self.stack.push(page);
        self.arrive(now, 1.0);
    }

    /// Goes one page back; a dialog goes first.
    pub fn back(&mut self, now: f64) {
        if self.dialog {
            self.dialog = false;
        } else if self.stack.len() > 1 {
            self.remember();
            self.stack.pop();
            self.arrive(now, -1.0);
        }
    }

    /// Goes home.
    pub fn home(&mut self, now: f64) {
        self.remember();
        if self.stack.len() > 1 || self.dialog {
            self.stack = vec![Page::Home];
            self.arrive(now, 0.0);
        }
    }

    /// Shows the apps in use.
    pub fn show_recents(&mut self, now: f64) {
        if self.page() == &Page::Recents {
            return self.back(now);
        }
        self.remember();
        self.stack = vec![Page::Home, Page::Recents];
        self.arrive(now, 0.0);
    }

    /// Brings an app back where it was left.
    pub fn resume(&mut self, at: usize, now: f64) {
        if let Some(stack) = self.recents.get(at).cloned() {
            self.stack = stack;
            self.arrive(now, 1.0);
        }
    }
}
