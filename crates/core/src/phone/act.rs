//! What a tap on a target does, and where in a text a finger points.

use super::font::{Fonts, Weight};
use super::state::{Action, State};
use super::ui::Frame;

/// Moves a slider to where a finger is.
pub fn slide(state: &mut State, name: &str, left: i32, width: i32, x: f32) {
    state.slide(name, f64::from(x - left as f32) / f64::from(width.max(1)));
}

/// The byte of a field's text nearest to a point.
pub fn place_in(
    fonts: &mut Fonts,
    state: &State,
    frame: &Frame,
    name: &str,
    at: (f32, f32),
) -> Option<usize> {
    let field = frame.fields.iter().find(|field| field.name == name)?;
    let text = state
        .saved
        .fields
        .get(name)
        .map_or("", |editor| editor.text());
    let line = field
        .lines
        .iter()
        .rev()
        .find(|line| at.1 >= line.top as f32)
        .or(field.lines.first())?;
    if at.1 > (line.top + field.line_height * 2) as f32 {
        return Some(line.to);
    }
    let mut x = field.x;
    for (byte, c) in text.get(line.from..line.to)?.char_indices() {
        let advance = fonts.advance(c, field.size, Weight::Regular);
        if at.0 < x + advance / 2.0 {
            return Some(line.from + byte);
        }
        x += advance;
    }
    Some(line.to)
}

/// What a tap does.
pub fn act(
    action: &Action,
    at: (f32, f32),
    double: bool,
    (state, frame, fonts): (&mut State, &Frame, &mut Fonts),
    now: f64,
) {
    match action {
        Action::Launch(page) => state.launch(page.clone(), now),
        Action::Open(page) => state.open(page.clone(), now),
        Action::Back => state.back(now),
        Action::Flip(name) => state.flip(name, now),
        Action::Slide { .. } => {}
        Action::Edit(name) => {
            let place = place_in(fonts, state, frame, name, at);
            state.focus = Some(name.clone());
            state.caret_since = now;
            if let Some(place) = place {
                if double {
                    state.field(name).select_word(place);
                } else {
                    state.field(name).put(place, false);
                }
            }
        }
        Action::Ask => state.dialog = true,
        Action::Answer(yes) => {
            state.dialog = false;
            if *yes {
                state.saved.switches.clear();
                state.saved.sliders.clear();
                state.saved.fields.clear();
                state.focus = None;
                state.toast = Some(("Everything is as it came".to_owned(), now + 2_500.0));
                state.changed();
            }
        }
        Action::Resume(place) => state.resume(*place, now),
        Action::Wipe => state.marks.clear(),
        Action::Forget => {
            state.recents.clear();
            state.home(now);
        }
    }
}
