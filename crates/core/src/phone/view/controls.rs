//! One of each control, and the dialog.

use super::fields::field;
use super::{nav_height, scaffold, scrolled};
use crate::phone::canvas::Color;
use crate::phone::font::Weight;
use crate::phone::geom::Rect;
use crate::phone::saved::FONT_SCALES;
use crate::phone::state::{Action, Page};
use crate::phone::ui::Ui;

/// A row with a switch.
pub fn switch(ui: &mut Ui, row: Rect, words: &str, name: &str) {
    let on = ui.state.switch(name);
    let pad = ui.dp(20.0);
    let (w, h) = (ui.dp(50.0), ui.dp(30.0));
    let track = Rect::new(row.right() - pad - w, row.y + (row.h - h) / 2, w, h);
    let text = Rect::new(row.x + pad, row.y, track.x - row.x - pad * 2, row.h);
    ui.label(text, words, ui.sp(16.0), Weight::Regular, ui.theme.ink);
    let since = ui
        .state
        .flips
        .get(name)
        .copied()
        .unwrap_or(f64::NEG_INFINITY);
    let t = ui.ease(since, 180.0);
    let t = if on { t } else { 1.0 - t };
    let (off, lit) = (ui.theme.track, ui.theme.accent);
    ui.fill(track, h / 2, off.mix(lit, t));
    let travel = (w - h) as f32;
    let cx = track.x as f32 + h as f32 / 2.0 + (travel * t).round();
    let thumb = Color::hex(0xFFFFFF).mix(ui.theme.on_accent, t);
    ui.disc(
        cx,
        track.y as f32 + h as f32 / 2.0,
        (h as f32 * (0.34 + 0.06 * t)).round(),
        thumb,
    );
    ui.target(row, 0, Action::Flip(name.to_owned()));
    if let Some(element) = ui.element("switch", name, words, row) {
        element.value = Some(if on { "on" } else { "off" }.to_owned());
    }
}

/// Words above a slider.
pub fn slider(ui: &mut Ui, card: Rect, words: &str, name: &str) {
    let at = ui.state.slider(name);
    let pad = ui.dp(20.0);
    let size = ui.sp(16.0);
    let head = Rect::new(
        card.x + pad,
        card.y + ui.dp(14.0),
        card.w - 2 * pad,
        (size * 1.3) as i32,
    );
    ui.label(head, words, size, Weight::Regular, ui.theme.ink);
    let value = if name == "font-size" {
        format!("{}", FONT_SCALES[ui.state.saved.font_step])
    } else {
        format!("{}%", (at * 100.0).round())
    };
    let width = ui.fonts.width(&value, size, Weight::Medium) as i32;
    ui.label(
        Rect::new(head.right() - width - 1, head.y, width + 2, head.h),
        &value,
        size,
        Weight::Medium,
        ui.theme.accent,
    );
    let track = slider_track(ui, card);
    let t = ui.dp(8.0);
    let middle = track.y + track.h / 2;
    let x = track.x + (f64::from(track.w) * at).round() as i32;
    ui.fill(
        Rect::new(track.x - t / 2, middle - t / 2, track.w + t, t),
        t / 2,
        ui.theme.track,
    );
    ui.fill(
        Rect::new(track.x - t / 2, middle - t / 2, x - track.x + t, t),
        t / 2,
        ui.theme.accent,
    );
    if name == "font-size" {
        for step in 0..FONT_SCALES.len() as i32 {
            let cx = track.x + track.w * step / (FONT_SCALES.len() as i32 - 1);
            ui.disc(
                cx as f32,
                middle as f32,
                (t / 5) as f32,
                if cx <= x {
                    ui.theme.on_accent
                } else {
                    ui.theme.faint
                },
            );
        }
    }
    ui.disc(x as f32, middle as f32, ui.dp(11.0) as f32, ui.theme.accent);
    ui.disc(
        x as f32,
        middle as f32,
        ui.dp(4.0) as f32,
        ui.theme.on_accent,
    );
    ui.target(
        track.inset(-ui.dp(12.0)),
        0,
        Action::Slide {
            name: name.to_owned(),
            left: track.x,
            width: track.w,
        },
    );
    if let Some(element) = ui.element("slider", name, words, track) {
        element.value = Some(value);
    }
}

/// Where a slider's value is read from a finger: the track inside its card.
fn slider_track(ui: &Ui, card: Rect) -> Rect {
    let pad = ui.dp(32.0);
    let h = ui.dp(28.0);
    Rect::new(
        card.x + pad,
        card.bottom() - h - ui.dp(8.0),
        card.w - 2 * pad,
        h,
    )
}

/// A button with its words; `strong`: the one that is meant.
pub fn button(ui: &mut Ui, rect: Rect, words: &str, name: &str, strong: bool, action: Action) {
    let (ground, ink) = if strong {
        (ui.theme.accent, ui.theme.on_accent)
    } else {
        (ui.theme.well, ui.theme.ink)
    };
    ui.fill(rect, rect.h / 2, ground);
    ui.text_in(
        rect.inset(ui.dp(8.0)),
        words,
        ui.sp(15.0),
        Weight::Medium,
        ink,
    );
    ui.target(rect, rect.h / 2, action);
    ui.element("button", name, words, rect);
}

/// The page.
pub fn page(ui: &mut Ui) {
    let area = scaffold(ui, "Controls");
    let outer = ui.clip;
    ui.clip = area.intersect(&outer);
    let pad = ui.dp(16.0);
    let row = ui.dp(64.0).max((ui.sp(16.0) * 2.4) as i32);
    let tall = ui.dp(64.0) + (ui.sp(16.0) * 1.4) as i32;
    let field_h = ui.dp(60.0) + (ui.sp(13.0) * 1.3) as i32 + (ui.sp(17.0) * 0.4) as i32;
    let button_h = ui.dp(52.0).max((ui.sp(15.0) * 2.4) as i32);
    let content = field_h + row * 2 + tall * 2 + button_h + pad * 6 + nav_height(ui);
    let scroll = scrolled(ui, Page::Controls, area, content);
    let column = ui.column(area.offset(0, -scroll), 680.0);
    let card = |y: i32, h: i32| Rect::new(column.x + pad, y, column.w - 2 * pad, h);
    let mut y = column.y;
    field(ui, card(y, field_h), "Your name", "name", "Type here");
    y += field_h + pad;
    ui.fill(card(y, row * 2), ui.dp(24.0), ui.theme.card);
    switch(ui, card(y, row), "Wi-Fi calling", "wifi-calling");
    switch(ui, card(y + row, row), "Auto-rotate", "auto-rotate-on");
    y += row * 2 + pad;
    ui.fill(card(y, tall * 2), ui.dp(24.0), ui.theme.card);
    slider(ui, card(y, tall), "Brightness", "brightness");
    slider(ui, card(y + tall, tall), "Volume", "volume");
    y += tall * 2 + pad;
    button(
        ui,
        card(y, button_h),
        "Reset everything",
        "reset",
        true,
        Action::Ask,
    );
    ui.clip = outer;
}

/// The dialog over everything; a touch beside it cancels.
pub fn dialog(ui: &mut Ui) {
    let screen = ui.screen();
    ui.fill(screen, 0, Color::hex(0).alpha(0.45));
    // What lies beneath can be neither touched nor read.
    ui.frame.targets.clear();
    ui.frame.areas.clear();
    ui.frame.elements.retain(|element| {
        element
            .identifier
            .as_deref()
            .is_some_and(|id| id.starts_with("status-"))
    });
    ui.target(screen, 0, Action::Answer(false));
    let w = (screen.w - ui.dp(64.0)).min(ui.dp(420.0));
    let (big, size) = (ui.sp(21.0), ui.sp(15.0));
    let button_h = ui.dp(46.0).max((size * 2.4) as i32);
    let h = ui.dp(72.0) + (big * 1.4) as i32 + (size * 3.0) as i32 + button_h;
    let rect = Rect::new((screen.w - w) / 2, (screen.h - h) / 2, w, h);
    ui.fill(rect, ui.dp(28.0), ui.theme.card);
    // A touch on the dialog itself must not cancel it.
    ui.target(rect, 0, Action::Ask);
    ui.enter("dialog", "dialog", "Reset everything?", rect);
    let pad = ui.dp(24.0);
    let mut line = Rect::new(
        rect.x + pad,
        rect.y + pad,
        rect.w - 2 * pad,
        (big * 1.4) as i32,
    );
    ui.label(line, "Reset everything?", big, Weight::Medium, ui.theme.ink);
    ui.element("heading", "dialog-title", "Reset everything?", line);
    for words in ["Switches, sliders and text go back", "to how they came."] {
        line = Rect::new(line.x, line.bottom(), line.w, (size * 1.5) as i32);
        ui.label(line, words, size, Weight::Regular, ui.theme.faint);
        ui.element("static text", "", words, line);
    }
    let half = (rect.w - 2 * pad - ui.dp(12.0)) / 2;
    let y = rect.bottom() - pad - button_h;
    button(
        ui,
        Rect::new(rect.x + pad, y, half, button_h),
        "Cancel",
        "dialog-cancel",
        false,
        Action::Answer(false),
    );
    button(
        ui,
        Rect::new(rect.right() - pad - half, y, half, button_h),
        "Reset",
        "dialog-ok",
        true,
        Action::Answer(true),
    );
    ui.close();
}
