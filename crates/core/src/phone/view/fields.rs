//! Text fields: lines, caret, selection.

use super::{BLINK_MS, nav_height, scaffold, scrolled};
use crate::phone::edit::Editor;
use crate::phone::font::Weight;
use crate::phone::geom::Rect;
use crate::phone::state::{Action, Page, Scene};
use crate::phone::ui::{FieldBox, Line, Ui};

/// The text in lines no wider than `width` pixels, broken at spaces where there are some.
fn wrap(ui: &mut Ui, text: &str, size: f32, width: f32) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let start = paragraph.as_ptr() as usize - text.as_ptr() as usize;
        let (mut from, mut used, mut space) = (0, 0.0, None);
        for (at, c) in paragraph.char_indices() {
            let advance = ui.fonts.advance(c, size, Weight::Regular);
            if used + advance > width && at > from {
                let cut = space.filter(|cut| *cut > from).unwrap_or(at);
                lines.push((start + from, start + cut));
                from = cut;
                used = ui.fonts.width(&paragraph[from..at], size, Weight::Regular);
                space = None;
            }
            used += advance;
            if c == ' ' {
                space = Some(at + 1);
            }
        }
        lines.push((start + from, start + paragraph.len()));
    }
    lines
}

/// Draws the lines that are seen, the selection behind them and the caret.
fn lines(
    ui: &mut Ui,
    name: &str,
    editor: &Editor,
    origin: (i32, i32),
    size: f32,
    cuts: &[(usize, usize)],
) {
    let line_h = (size * 1.35).round() as i32;
    let focused = ui.state.focus.as_deref() == Some(name);
    let (from, to) = editor.selection();
    let mut found = FieldBox {
        name: name.to_owned(),
        x: origin.0 as f32,
        size,
        line_height: line_h,
        lines: Vec::new(),
    };
    for (at, &(start, end)) in cuts.iter().enumerate() {
        let top = origin.1 + at as i32 * line_h;
        found.lines.push(Line {
            from: start,
            to: end,
            top,
        });
        let last_of_place = cuts
            .get(at + 1)
            .is_none_or(|next| next.0 > end || editor.caret() < next.0);
        let has_caret = focused && (start..=end).contains(&editor.caret()) && last_of_place;
        let seen = top + line_h > ui.clip.y && top < ui.clip.bottom();
        if !seen && !has_caret {
            continue;
        }
        let text = &editor.text()[start..end];
        let x_of = |ui: &mut Ui, at: usize| {
            origin.0
                + ui.fonts
                    .width(&editor.text()[start..at], size, Weight::Regular)
                    .round() as i32
        };
        // A selected line break shows as a stub; a break made by wrapping has nothing to select.
        let broken = cuts.get(at + 1).is_some_and(|next| next.0 > end);
        if focused && from < to && to > start && (from < end || (broken && from == end)) {
            let (left, right) = (x_of(ui, from.max(start)), x_of(ui, to.min(end)));
            ui.fill(
                Rect::new(left, top, (right - left).max(ui.dp(2.0)), line_h),
                0,
                ui.theme.select,
            );
        }
        let baseline = top + (size * 1.02) as i32;
        if let Some((from, to)) = editor
            .composing()
            .filter(|(from, to)| *from < end && *to > start)
        {
            let (left, right) = (x_of(ui, from.max(start)), x_of(ui, to.min(end)));
            ui.fill(
                Rect::new(left, baseline + ui.dp(3.0), right - left, ui.dp(1.5)),
                0,
                ui.theme.accent,
            );
        }
        ui.text(
            origin.0 as f32,
            baseline,
            text,
            size,
            Weight::Regular,
            ui.theme.ink,
        );
        if has_caret {
            let x = x_of(ui, editor.caret());
            let caret = Rect::new(
                x - ui.dp(1.0),
                top + ui.dp(1.0),
                ui.dp(2.0),
                line_h - ui.dp(2.0),
            );
            ui.frame.caret = Some(caret);
            let half = ((ui.now - ui.state.caret_since) / BLINK_MS).floor();
            let blinks = ui.state.scene != Scene::Still;
            if !blinks || half.rem_euclid(2.0) == 0.0 {
                ui.fill(caret, ui.dp(1.0), ui.theme.accent);
            }
            if blinks {
                ui.wake_at(ui.state.caret_since + (half + 1.0) * BLINK_MS);
            }
        }
    }
    ui.frame.fields.push(found);
}

fn editor_of(ui: &Ui, name: &str) -> Editor {
    ui.state.saved.fields.get(name).cloned().unwrap_or_default()
}

fn element_of(ui: &mut Ui, name: &str, words: &str, text: String, rect: Rect) {
    let focused = ui.state.focus.as_deref() == Some(name);
    if let Some(element) = ui.element("text field", name, words, rect) {
        element.value = Some(text);
        element.focused = focused;
    }
}

/// A field of one line in a card, its words above it.
pub fn field(ui: &mut Ui, card: Rect, words: &str, name: &str, hint: &str) {
    let editor = editor_of(ui, name);
    let focused = ui.state.focus.as_deref() == Some(name);
    let pad = ui.dp(18.0);
    let (small, size) = (ui.sp(13.0), ui.sp(17.0));
    ui.fill(card, ui.dp(24.0), ui.theme.card);
    let head = Rect::new(
        card.x + pad,
        card.y + ui.dp(12.0),
        card.w - 2 * pad,
        (small * 1.3) as i32,
    );
    let ink = if focused {
        ui.theme.accent
    } else {
        ui.theme.faint
    };
    ui.label(head, words, small, Weight::Medium, ink);
    let line_h = (size * 1.35).round() as i32;
    let inner = Rect::new(head.x, head.bottom() + ui.dp(4.0), head.w, line_h);
    ui.fill(
        Rect::new(
            inner.x,
            inner.bottom() + ui.dp(5.0),
            inner.w,
            ui.dp(if focused { 2.0 } else { 1.0 }),
        ),
        0,
        ink,
    );
    let outer = ui.clip;
    ui.clip = inner.inset(-ui.dp(2.0)).intersect(&outer);
    if editor.text().is_empty() {
        ui.label(inner, hint, size, Weight::Regular, ui.theme.faint);
    }
    // The text moves under its box so that the caret is always seen.
    let caret = ui
        .fonts
        .width(&editor.text()[..editor.caret()], size, Weight::Regular) as i32;
    let whole = ui.fonts.width(editor.text(), size, Weight::Regular) as i32;
    let shift = (caret - inner.w + ui.dp(4.0)).clamp(0, (whole - inner.w + ui.dp(4.0)).max(0));
    lines(
        ui,
        name,
        &editor,
        (inner.x - shift, inner.y),
        size,
        &[(0, editor.text().len())],
    );
    ui.clip = outer;
    ui.target(card, ui.dp(24.0), Action::Edit(name.to_owned()));
    element_of(ui, name, words, editor.text().to_owned(), card);
}

/// A page of text.
pub fn notes(ui: &mut Ui) {
    let area = scaffold(ui, "Notes");
    let outer = ui.clip;
    ui.clip = area.intersect(&outer);
    let pad = ui.dp(16.0);
    let column = ui.column(area, 760.0);
    let size = ui.sp(17.0);
    let line_h = (size * 1.35).round() as i32;
    let inner_w = column.w - 2 * pad - 2 * ui.dp(20.0);
    let editor = editor_of(ui, "note");
    let cuts = wrap(ui, editor.text(), size, inner_w as f32);
    let text_h = cuts.len() as i32 * line_h;
    let least = area.h - pad - nav_height(ui);
    let card_h = (text_h + ui.dp(40.0)).max(least);
    let content = card_h + pad + nav_height(ui);
    let scroll = scrolled(ui, Page::Notes, area, content);
    let card = Rect::new(
        column.x + pad,
        column.y - scroll,
        column.w - 2 * pad,
        card_h,
    );
    ui.fill(card, ui.dp(24.0), ui.theme.card);
    let origin = (card.x + ui.dp(20.0), card.y + ui.dp(20.0));
    if editor.text().is_empty() {
        let hint = Rect::new(origin.0, origin.1, inner_w, line_h);
        ui.label(
            hint,
            "Write something",
            size,
            Weight::Regular,
            ui.theme.faint,
        );
    }
    ui.target(card, ui.dp(24.0), Action::Edit("note".to_owned()));
    let text = editor.text().to_owned();
    lines(ui, "note", &editor, origin, size, &cuts);
    element_of(ui, "note", "Note", text, card);
    ui.clip = outer;
}
