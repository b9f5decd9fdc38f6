//! Keys by their W3C names, into the field with the caret or to the phone itself.

use std::collections::BTreeSet;

use super::scroll::Scroll;
use super::state::{Page, State};
use super::ui::Frame;

/// The modifier keys now down.
#[derive(Debug, Default)]
pub struct Keys {
    held: BTreeSet<String>,
}

impl Keys {
    /// The keys now down.
    #[must_use]
    pub fn held(&self) -> &BTreeSet<String> {
        &self.held
    }

    /// Lifts every key.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    fn has(&self, key: &str) -> bool {
        self.held.contains(key)
    }

    /// A key goes down or up. A key held down repeats as it is sent.
    pub fn apply(&mut self, key: &str, down: bool, state: &mut State, frame: &Frame, now: f64) {
        if down {
            self.held.insert(key.to_owned());
            self.press(key, state, frame, now);
        } else {
            self.held.remove(key);
        }
    }

    fn press(&self, key: &str, state: &mut State, frame: &Frame, now: f64) {
        match key {
            "GoHome" | "BrowserHome" => return state.home(now),
            "GoBack" | "BrowserBack" | "Escape" => return state.back(now),
            "AppSwitch" => return state.show_recents(now),
            "Power" | "Standby" | "WakeUp" => return,
            _ => {}
        }
        state.caret_since = now;
        let command = self.has("Control") || self.has("Meta");
        let shift = self.has("Shift");
        let Some(name) = state.focus.clone() else {
            return scroll_by_key(key, state, frame, now);
        };
        let lines = name == "note";
        let short = key.to_ascii_lowercase();
        if command || matches!(key, "Copy" | "Cut" | "Paste" | "Undo") {
            match short.as_str() {
                "a" => state.field(&name).select_all(),
                "c" | "copy" | "x" | "cut" => {
                    let text = state.field(&name).selected().to_owned();
                    if !text.is_empty() {
                        state.copy(&text);
                        if matches!(short.as_str(), "x" | "cut") {
                            state.field(&name).delete();
                        }
                    }
                }
                "v" | "paste" => {
                    let text = state.clipboard.clone();
                    state.field(&name).insert(&text, lines);
                }
                "arrowleft" | "home" => state.field(&name).put(0, shift),
                "arrowright" | "end" => state.field(&name).put(usize::MAX, shift),
                _ => return,
            }
            return state.changed();
        }
        match key {
            "Backspace" => state.field(&name).backspace(),
            "Delete" => state.field(&name).delete(),
            "Enter" if lines => state.field(&name).insert("\n", true),
            "Enter" => state.focus = None,
            "Tab" if lines => state.field(&name).insert("\t", true),
            "ArrowLeft" => state.field(&name).left(shift),
            "ArrowRight" => state.field(&name).right(shift),
            "ArrowUp" => line_step(&name, -1, shift, state, frame),
            "ArrowDown" => line_step(&name, 1, shift, state, frame),
            "Home" => line_end(&name, false, shift, state, frame),
            "End" => line_end(&name, true, shift, state, frame),
            _ => {
                // A name of one character is that character; longer ones that are not known do nothing.
                if key.chars().count() != 1 {
                    return;
                }
                state.field(&name).insert(key, lines);
            }
        }
        state.changed();
    }
}

/// Where the caret is: the line's place in the field.
fn caret_line(name: &str, state: &mut State, frame: &Frame) -> Option<usize> {
    let caret = state.field(name).caret();
    let field = frame.fields.iter().find(|field| field.name == name)?;
    field.lines.iter().rposition(|line| line.from <= caret)
}

fn line_step(name: &str, by: isize, select: bool, state: &mut State, frame: &Frame) {
    let Some(field) = frame.fields.iter().find(|field| field.name == name) else {
        return;
    };
    let Some(at) = caret_line(name, state, frame) else {
        return;
    };
    let caret = state.field(name).caret();
    let place = match at.checked_add_signed(by).and_then(|at| field.lines.get(at)) {
        Some(line) => {
            let column = state.field(name).text()[field.lines[at].from..caret]
                .chars()
                .count();
            let text = &state.field(name).text()[line.from..line.to];
            line.from
                + text
                    .char_indices()
                    .nth(column)
                    .map_or(text.len(), |(byte, _)| byte)
        }
        None if by < 0 => 0,
        None => usize::MAX,
    };
    state.field(name).put(place, select);
}

fn line_end(name: &str, end: bool, select: bool, state: &mut State, frame: &Frame) {
    let Some(at) = caret_line(name, state, frame) else {
        return;
    };
    let Some(field) = frame.fields.iter().find(|field| field.name == name) else {
        return;
    };
    let line = &field.lines[at];
    state
        .field(name)
        .put(if end { line.to } else { line.from }, select);
}

fn scroll_by_key(key: &str, state: &mut State, frame: &Frame, now: f64) {
    let Some(area) = frame.areas.last() else {
        return;
    };
    let page: Page = area.page.clone();
    let (at, _) = state
        .scrolls
        .get(&page)
        .copied()
        .unwrap_or_default()
        .at(now, area.max);
    let (step, whole) = (
        f64::from(state.model.density()) * 64.0,
        f64::from(area.rect.h) * 0.85,
    );
    let to = match key {
        "ArrowDown" => at + step,
        "ArrowUp" => at - step,
        "PageDown" | " " => at + whole,
        "PageUp" => at - whole,
        "Home" => 0.0,
        "End" => area.max,
        _ => return,
    };
    state
        .scrolls
        .insert(page, Scroll::Rest(to.clamp(0.0, area.max)));
}
