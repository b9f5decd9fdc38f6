//! Builds one frame: what is drawn, what can be touched and what a reader of the screen hears, all from the same calls,
//! so that the three cannot disagree.

use serde::Serialize;

use super::canvas::Color;
use super::font::{Fonts, Style, Weight};
use super::geom::Rect;
use super::icons::Icon;
use super::list::{Shape, Step};
use super::saved::FONT_SCALES;
use super::state::{Action, Page, State};
use super::theme::{DARK, LIGHT, Theme};

/// What can be done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Can {
    /// Tapped.
    pub tap: bool,
    /// Typed into.
    pub edit: bool,
    /// Scrolled.
    pub scroll: bool,
}

/// One element of the tree, its frame in the picture's pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Element {
    /// button, text field, cell…
    pub role: &'static str,
    /// A name that stays.
    pub identifier: Option<String>,
    /// What it says.
    pub label: String,
    /// What it holds.
    pub value: Option<String>,
    /// Where it is seen.
    pub frame: Rect,
    /// Takes touches.
    pub enabled: bool,
    /// Has the caret.
    pub focused: bool,
    /// What can be done.
    pub can: Can,
    /// Inside it.
    pub children: Vec<Element>,
}

/// A place that takes touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Where.
    pub rect: Rect,
    /// Its corner radius, for the ripple.
    pub radius: i32,
    /// What a tap does.
    pub action: Action,
}

/// A page's scrolling part.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Whose.
    pub page: Page,
    /// Where.
    pub rect: Rect,
    /// How far it goes, in pixels.
    pub max: f64,
}

/// One line of a field: bytes from..to, and its top.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// First byte.
    pub from: usize,
    /// One past the last byte, without the line break.
    pub to: usize,
    /// Top, in pixels.
    pub top: i32,
}

/// Where a field's text stands, to find characters by touch.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldBox {
    /// Which.
    pub name: String,
    /// The text's left edge, in pixels.
    pub x: f32,
    /// Text size.
    pub size: f32,
    /// A line's height.
    pub line_height: i32,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// One whole frame.
#[derive(Default)]
pub struct Frame {
    /// What is drawn, back to front.
    pub steps: Vec<Step>,
    /// What is there.
    pub elements: Vec<Element>,
    /// What takes touches, back to front.
    pub targets: Vec<Target>,
    /// What scrolls.
    pub areas: Vec<Area>,
    /// Fields on it.
    pub fields: Vec<FieldBox>,
    /// The caret, lit or not.
    pub caret: Option<Rect>,
    /// The photo, which takes pinches.
    pub photo: Option<Rect>,
    /// The sheet, which takes every finger as it is.
    pub sheet: Option<Rect>,
    /// Something moves by itself: draw again at the next frame's time.
    pub moving: bool,
    /// When the frame changes by itself next, in ms, if it does not move.
    pub wake: Option<f64>,
}

/// The builder.
pub struct Ui<'a> {
    /// What is drawn from.
    pub state: &'a State,
    /// To measure with.
    pub fonts: &'a mut Fonts,
    /// Colours.
    pub theme: &'static Theme,
    /// The frame so far.
    pub frame: Frame,
    /// Nothing outside is seen or touched.
    pub clip: Rect,
    /// Now, in ms.
    pub now: f64,
    density: f32,
    text: f32,
    open: Vec<Element>,
}

impl<'a> Ui<'a> {
    /// An empty frame of the picture's size.
    pub fn new(state: &'a State, fonts: &'a mut Fonts, now: f64) -> Self {
        let (w, h) = state.size();
        Self {
            theme: if state.saved.dark { &DARK } else { &LIGHT },
            fonts,
            frame: Frame::default(),
            clip: Rect::new(0, 0, w, h),
            now,
            density: state.model.density(),
            text: FONT_SCALES[state.saved.font_step.min(FONT_SCALES.len() - 1)] as f32,
            open: Vec::new(),
            state,
        }
    }

    /// Density-independent pixels to pixels.
    #[must_use]
    pub fn dp(&self, v: f32) -> i32 {
        (v * self.density).round() as i32
    }

    /// A text size to pixels, with the person's text size.
    #[must_use]
    pub fn sp(&self, v: f32) -> f32 {
        (v * self.density * self.text * 4.0).round() / 4.0
    }

    /// The whole picture.
    #[must_use]
    pub fn screen(&self) -> Rect {
        let (w, h) = self.state.size();
        Rect::new(0, 0, w, h)
    }

    /// A drawing step inside the clip.
    pub fn step(&mut self, shape: Shape) {
        let step = Step {
            shape,
            clip: self.clip,
        };
        if !step.bounds().is_empty() {
            self.frame.steps.push(step);
        }
    }

    /// A box.
    pub fn fill(&mut self, rect: Rect, radius: i32, color: Color) {
        self.step(Shape::Box {
            rect,
            radius,
            color,
        });
    }

    /// A disc.
    pub fn disc(&mut self, cx: f32, cy: f32, r: f32, color: Color) {
        self.step(Shape::Disc { cx, cy, r, color });
    }

    /// An icon, its centre at a point.
    pub fn icon(&mut self, icon: Icon, cx: i32, cy: i32, size: i32, color: Color) {
        self.step(Shape::Icon {
            icon,
            x: cx - size / 2,
            y: cy - size / 2,
            size: size.clamp(1, 2000) as u16,
            color,
        });
    }

    /// A line of text from `x`; answers its width.
    pub fn text(
        &mut self,
        x: f32,
        baseline: i32,
        text: &str,
        size: f32,
        weight: Weight,
        color: Color,
    ) -> f32 {
        let width = self.fonts.width(text, size, weight);
        let style = Style {
            size,
            weight,
            color,
        };
        self.step(Shape::Text {
            x,
            baseline,
            style,
            text: text.into(),
            width,
        });
        width
    }

    /// A line of text round the middle of a box, cut where it does not fit.
    pub fn text_in(&mut self, rect: Rect, text: &str, size: f32, weight: Weight, color: Color) {
        let text = self.fonts.fit(text, size, weight, rect.w as f32);
        let width = self.fonts.width(&text, size, weight);
        let x = (rect.x as f32 + (rect.w as f32 - width) / 2.0).round();
        let baseline = rect.y + rect.h / 2 + (size * 0.355) as i32;
        self.text(x, baseline, &text, size, weight, color);
    }

    /// A line of text from the left of a box, cut where it does not fit, in the middle of its height.
    pub fn label(&mut self, rect: Rect, text: &str, size: f32, weight: Weight, color: Color) {
        let text = self.fonts.fit(text, size, weight, rect.w as f32);
        self.text(
            rect.x as f32,
            rect.y + rect.h / 2 + (size * 0.355) as i32,
            &text,
            size,
            weight,
            color,
        );
    }

    /// Takes touches.
    pub fn target(&mut self, rect: Rect, radius: i32, action: Action) {
        let rect = rect.intersect(&self.clip);
        if !rect.is_empty() {
            self.frame.targets.push(Target {
                rect,
                radius,
                action,
            });
        }
    }

    /// An element; nothing when no pixel of it is seen.
    pub fn element(
        &mut self,
        role: &'static str,
        identifier: &str,
        label: &str,
        frame: Rect,
    ) -> Option<&mut Element> {
        let frame = frame.intersect(&self.clip);
        if frame.is_empty() {
            return None;
        }
        let can = Can {
            tap: matches!(role, "button" | "cell" | "switch" | "text field" | "slider"),
            edit: role == "text field",
            scroll: role == "list",
        };
        let element = Element {
            role,
            identifier: (!identifier.is_empty()).then(|| identifier.to_owned()),
            label: label.to_owned(),
            value: None,
            frame,
            enabled: true,
            focused: false,
            can,
            children: Vec::new(),
        };
        let siblings = self
            .open
            .last_mut()
            .map_or(&mut self.frame.elements, |parent| &mut parent.children);
        siblings.push(element);
        siblings.last_mut()
    }

    /// What follows is inside this one, until [`Self::close`].
    pub fn enter(&mut self, role: &'static str, identifier: &str, label: &str, frame: Rect) {
        let siblings_before = self
            .open
            .last()
            .map_or(self.frame.elements.len(), |parent| parent.children.len());
        if self.element(role, identifier, label, frame).is_some() {
            let siblings = self
                .open
                .last_mut()
                .map_or(&mut self.frame.elements, |parent| &mut parent.children);
            let element = siblings.remove(siblings_before);
            self.open.push(element);
        } else {
            // Keeps enter and close in pairs; an unseen parent has no seen children.
            self.open.push(Element {
                role,
                identifier: None,
                label: String::new(),
                value: None,
                frame: Rect::default(),
                enabled: false,
                focused: false,
                can: Can {
                    tap: false,
                    edit: false,
                    scroll: false,
                },
                children: Vec::new(),
            });
        }
    }

    /// Ends what [`Self::enter`] began.
    pub fn close(&mut self) {
        let Some(element) = self.open.pop().filter(|element| !element.frame.is_empty()) else {
            return;
        };
        let siblings = self
            .open
            .last_mut()
            .map_or(&mut self.frame.elements, |parent| &mut parent.children);
        siblings.push(element);
    }

    /// A column in the middle, no wider than reads well.
    #[must_use]
    pub fn column(&self, area: Rect, most_dp: f32) -> Rect {
        let w = area.w.min(self.dp(most_dp));
        Rect::new(area.x + (area.w - w) / 2, area.y, w, area.h)
    }

    /// The frame changes by itself at this time.
    pub fn wake_at(&mut self, at: f64) {
        self.frame.wake = Some(self.frame.wake.map_or(at, |known| known.min(at)));
    }

    /// Where an animation of `ms` that began then is: 0 to 1, slowing towards its end.
    pub fn ease(&mut self, since: f64, ms: f64) -> f32 {
        let t = ((self.now - since) / ms).clamp(0.0, 1.0);
        if t < 1.0 {
            self.frame.moving = true;
        }
        (1.0 - (1.0 - t).powi(3)) as f32
    }
}
