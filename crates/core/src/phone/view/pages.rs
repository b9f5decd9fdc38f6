//! The photo, the colours, the address, what always moves, and installed apps.

use super::controls::button;
use super::{nav_height, scaffold, status_height};
use crate::phone::canvas::Color;
use crate::phone::font::Weight;
use crate::phone::geom::Rect;
use crate::phone::icons::Icon;
use crate::phone::list::Shape;
use crate::phone::picture::View;
use crate::phone::state::Action;
use crate::phone::theme::TILES;
use crate::phone::ui::Ui;

/// The colour page's tiles, in reading order, four a row: what a test compares a decoded picture with.
pub const COLOURS: [(&str, u32); 16] = [
    ("black", 0x000000),
    ("grey", 0x808080),
    ("silver", 0xC0C0C0),
    ("white", 0xFFFFFF),
    ("red", 0xE02020),
    ("orange", 0xF09020),
    ("yellow", 0xF0E030),
    ("lime", 0x60D030),
    ("green", 0x108040),
    ("teal", 0x10A0A0),
    ("sky", 0x40A0F0),
    ("blue", 0x2040D0),
    ("indigo", 0x5030A0),
    ("violet", 0xA040D0),
    ("pink", 0xF080B0),
    ("brown", 0x704828),
];

/// A photo that two fingers zoom.
pub fn photos(ui: &mut Ui) {
    let screen = ui.screen();
    let view = ui.state.photo;
    ui.step(Shape::Photo { rect: screen, view });
    ui.frame.photo = Some(screen);
    let reach = ui.dp(44.0);
    let white = Color::hex(0xFFFFFF);
    let back = Rect::new(ui.dp(12.0), status_height(ui) + ui.dp(8.0), reach, reach);
    ui.fill(back, reach / 2, Color::hex(0).alpha(0.35));
    ui.icon(
        Icon::Back,
        back.x + reach / 2,
        back.y + reach / 2,
        ui.dp(24.0),
        white,
    );
    if let Some(photo) = ui.element("image", "photo", "Hills at dusk", screen) {
        photo.value = Some(format!("{:.2}×", view.zoom));
    }
    ui.target(back, reach / 2, Action::Back);
    ui.element("button", "navigate-up", "Back", back);
    if view != View::WHOLE {
        let size = ui.sp(15.0);
        let words = format!("{:.1}×", view.zoom);
        let pill = Rect::new(
            (screen.w - ui.dp(72.0)) / 2,
            screen.h - nav_height(ui) - ui.dp(56.0),
            ui.dp(72.0),
            ui.dp(34.0),
        );
        ui.fill(pill, pill.h / 2, Color::hex(0).alpha(0.45));
        ui.text_in(pill, &words, size, Weight::Medium, white);
    }
}

/// Known flat colours, nothing else in the tiles.
pub fn colours(ui: &mut Ui) {
    let area = scaffold(ui, "Colours");
    let room = Rect::new(area.x, area.y, area.w, area.h - nav_height(ui));
    for (at, (name, rgb)) in COLOURS.into_iter().enumerate() {
        let (column, row) = (at as i32 % 4, at as i32 / 4);
        let (left, right) = (
            room.x + room.w * column / 4,
            room.x + room.w * (column + 1) / 4,
        );
        let (top, bottom) = (room.y + room.h * row / 4, room.y + room.h * (row + 1) / 4);
        let tile = Rect::new(left, top, right - left, bottom - top);
        ui.fill(tile, 0, Color::hex(rgb));
        if let Some(element) = ui.element("image", &format!("colour-{name}"), name, tile) {
            element.value = Some(format!("#{rgb:06X}"));
        }
    }
}

/// A sheet that fingers draw on: each leaves its line exactly where it is.
pub fn paint(ui: &mut Ui) {
    let area = scaffold(ui, "Paint");
    let pad = ui.dp(16.0);
    let h = ui.dp(40.0);
    let wipe = Rect::new(
        area.right() - pad - ui.dp(92.0),
        area.y - h - ui.dp(10.0),
        ui.dp(92.0),
        h,
    );
    button(ui, wipe, "Clear", "clear", false, Action::Wipe);
    let sheet = Rect::new(
        area.x + pad,
        area.y,
        area.w - 2 * pad,
        area.h - nav_height(ui) - pad / 2,
    );
    ui.fill(sheet, ui.dp(24.0), ui.theme.card);
    ui.frame.sheet = Some(sheet);
    let outer = ui.clip;
    ui.clip = sheet.intersect(&outer);
    let width = ui.dp(7.0) as f32;
    for mark in &ui.state.marks {
        let color = Color::hex(TILES[usize::from(mark.finger) % TILES.len()]);
        // A finger's pixel is drawn about that pixel's centre.
        let centre = |at: (f32, f32)| (at.0 + 0.5, at.1 + 0.5);
        ui.step(Shape::Line {
            from: centre(mark.from),
            to: centre(mark.to),
            width,
            color,
        });
    }
    if ui.state.marks.is_empty() {
        ui.text_in(
            sheet,
            "Draw with your fingers",
            ui.sp(17.0),
            Weight::Regular,
            ui.theme.faint,
        );
    }
    let last = ui
        .state
        .marks
        .last()
        .map(|mark| format!("{:.0},{:.0}", mark.to.0, mark.to.1));
    if let Some(element) = ui.element("image", "sheet", "Sheet", sheet) {
        element.value = last;
    }
    ui.clip = outer;
}

/// The address that was opened.
pub fn browser(ui: &mut Ui) {
    let area = scaffold(ui, "Browser");
    let column = ui.column(area, 760.0);
    let pad = ui.dp(16.0);
    let size = ui.sp(16.0);
    let url = ui.state.url.clone();
    let bar = Rect::new(
        column.x + pad,
        column.y,
        column.w - 2 * pad,
        ui.dp(52.0).max((size * 2.2) as i32),
    );
    ui.fill(bar, bar.h / 2, ui.theme.well);
    ui.icon(
        Icon::Lock,
        bar.x + ui.dp(26.0),
        bar.y + bar.h / 2,
        ui.dp(18.0),
        ui.theme.faint,
    );
    let text = Rect::new(bar.x + ui.dp(46.0), bar.y, bar.w - ui.dp(66.0), bar.h);
    let shown = if url.is_empty() {
        "No address yet"
    } else {
        &url
    };
    ui.label(text, shown, size, Weight::Regular, ui.theme.ink);
    if let Some(element) = ui.element("static text", "url", "Address", bar) {
        element.value = Some(url.clone());
    }
    let card = Rect::new(
        bar.x,
        bar.bottom() + pad,
        bar.w,
        area.bottom() - bar.bottom() - pad * 2 - nav_height(ui),
    );
    ui.fill(card, ui.dp(24.0), ui.theme.card);
    let side = ui.dp(96.0).min(card.h / 3);
    let cy = card.y + card.h * 2 / 5;
    ui.disc(
        (card.x + card.w / 2) as f32,
        cy as f32,
        side as f32 * 0.72,
        ui.theme.well,
    );
    ui.icon(Icon::Globe, card.x + card.w / 2, cy, side, ui.theme.accent);
    let host = url
        .split_once("://")
        .map_or(url.as_str(), |(_, rest)| rest)
        .split(['/', '?', '#'])
        .next()
        .unwrap_or_default()
        .to_owned();
    let line = Rect::new(
        card.x + pad,
        cy + side,
        card.w - 2 * pad,
        (ui.sp(22.0) * 1.5) as i32,
    );
    ui.text_in(
        line,
        if host.is_empty() {
            "Nothing is open"
        } else {
            &host
        },
        ui.sp(22.0),
        Weight::Medium,
        ui.theme.ink,
    );
    let below = line.offset(0, line.h);
    ui.text_in(
        below,
        "This phone has no web; it shows what it was asked to open.",
        ui.sp(14.0),
        Weight::Regular,
        ui.theme.faint,
    );
}

/// A number from a seed and an index, 0 to 1, the same everywhere.
fn scatter(seed: u32, at: u32) -> f32 {
    let mut v = seed.wrapping_mul(0x9E37_79B9) ^ at.wrapping_mul(0x85EB_CA6B);
    v ^= v >> 16;
    v = v.wrapping_mul(0x7FEB_352D);
    v ^= v >> 15;
    v = v.wrapping_mul(0x846C_A68B);
    (v ^ (v >> 16)) as f32 / u32::MAX as f32
}

/// Cards that scroll past for ever with discs that float over them: most pixels change in every frame.
pub fn busy(ui: &mut Ui) {
    let area = scaffold(ui, "Busy");
    ui.frame.moving = true;
    let seed = ui.state.seed;
    let t = (ui.now - ui.state.busy_since).max(0.0) / 1000.0;
    let outer = ui.clip;
    ui.clip = area.intersect(&outer);
    let column = ui.column(area, 680.0);
    let (pad, card_h) = (ui.dp(16.0), ui.dp(132.0));
    let pitch = card_h + ui.dp(12.0);
    // Pixels a second, as a quick but readable scroll.
    let shift = (t * f64::from(ui.dp(420.0))) as i64;
    let first = shift.div_euclid(i64::from(pitch));
    let offset = shift.rem_euclid(i64::from(pitch)) as i32;
    for at in 0..area.h / pitch + 2 {
        let index = (first + i64::from(at)) as u32;
        let card = Rect::new(
            column.x + pad,
            column.y + at * pitch - offset,
            column.w - 2 * pad,
            card_h,
        );
        ui.fill(card, ui.dp(24.0), ui.theme.card);
        let color = Color::hex(TILES[(scatter(seed, index) * 7.99) as usize]);
        let side = ui.dp(84.0);
        let tile = Rect::new(
            card.x + ui.dp(20.0),
            card.y + (card_h - side) / 2,
            side,
            side,
        );
        ui.fill(tile, ui.dp(18.0), color);
        ui.icon(
            Icon::Image,
            tile.x + side / 2,
            tile.y + side / 2,
            ui.dp(40.0),
            Color::hex(0xFFFFFF),
        );
        let x = tile.right() + ui.dp(18.0);
        let room = card.right() - x - ui.dp(20.0);
        let line = Rect::new(x, card.y + ui.dp(24.0), room, ui.dp(26.0));
        ui.label(
            line,
            &format!("Story {}", index + 1),
            ui.sp(18.0),
            Weight::Medium,
            ui.theme.ink,
        );
        for row in 0..2 {
            let w = (room as f32 * (0.55 + 0.45 * scatter(seed, index * 7 + row))) as i32;
            ui.fill(
                Rect::new(
                    x,
                    line.bottom() + ui.dp(10.0) + row as i32 * ui.dp(22.0),
                    w,
                    ui.dp(12.0),
                ),
                ui.dp(6.0),
                ui.theme.well,
            );
        }
    }
    for at in 0..6u32 {
        let spin = t as f32 * (0.5 + scatter(seed, 900 + at)) + scatter(seed, 950 + at) * 6.3;
        let (w, h) = (area.w as f32, area.h as f32);
        let cx = area.x as f32 + w * (0.5 + 0.42 * (spin * 1.1).sin());
        let cy = area.y as f32 + h * (0.5 + 0.42 * (spin * 0.83 + at as f32).cos());
        let r = ui.dp(18.0) as f32 * (0.8 + scatter(seed, 970 + at));
        ui.disc(cx, cy, r, Color::hex(TILES[at as usize]).alpha(0.85));
    }
    ui.element("list", "busy-list", "Stories", area);
    ui.clip = outer;
}

/// An installed app's one page.
pub fn app(ui: &mut Ui, at: usize) {
    let name = ui
        .state
        .saved
        .apps
        .get(at)
        .map_or_else(|| "App".to_owned(), |app| app.name.clone());
    let area = scaffold(ui, &name);
    let side = ui.dp(112.0);
    let (cx, cy) = (area.x + area.w / 2, area.y + area.h * 2 / 5);
    let tile = Rect::new(cx - side / 2, cy - side / 2, side, side);
    ui.fill(
        tile,
        side * 3 / 10,
        Color::hex(TILES[(at + 1) % TILES.len()]),
    );
    let letter: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
    ui.text_in(
        tile,
        &letter,
        side as f32 * 0.48,
        Weight::Medium,
        Color::hex(0xFFFFFF),
    );
    let line = Rect::new(
        area.x,
        tile.bottom() + ui.dp(20.0),
        area.w,
        (ui.sp(20.0) * 1.5) as i32,
    );
    ui.text_in(
        line,
        &format!("{name} is installed"),
        ui.sp(20.0),
        Weight::Medium,
        ui.theme.ink,
    );
    ui.element("static text", "app-name", &name, line);
}

/// The mark of a phone that starts.
pub fn boot(ui: &mut Ui) {
    let screen = ui.screen();
    ui.fill(screen, 0, Color::hex(0x05060A));
    let (cx, cy) = (screen.w as f32 / 2.0, screen.h as f32 / 2.0);
    let t = ((ui.now - ui.state.rebooted) / super::BOOT_MS).clamp(0.0, 1.0) as f32;
    for at in 0..3u8 {
        let lit = (t * 4.0 - f32::from(at)).clamp(0.15, 1.0);
        let x = cx + (f32::from(at) - 1.0) * ui.dp(34.0) as f32;
        ui.disc(
            x.round(),
            cy.round(),
            ui.dp(9.0) as f32,
            Color::hex(TILES[usize::from(at)]).alpha(lit),
        );
    }
    ui.element("image", "boot", "Starting", screen);
    ui.frame.moving = true;
}
