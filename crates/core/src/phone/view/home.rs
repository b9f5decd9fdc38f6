//! The launcher and the apps in use.

use super::{clock, date, nav_height, status_height};
use crate::phone::canvas::Color;
use crate::phone::font::Weight;
use crate::phone::geom::Rect;
use crate::phone::icons::Icon;
use crate::phone::list::Shape;
use crate::phone::state::{Action, Page};
use crate::phone::theme::TILES;
use crate::phone::ui::Ui;

const APPS: [(Page, &str, Icon, u32); 8] = [
    (Page::Settings, "Settings", Icon::Gear, 0x5B677D),
    (Page::Controls, "Controls", Icon::Tune, 0x3D6BF0),
    (Page::Notes, "Notes", Icon::Pencil, 0xE08A1E),
    (Page::Photos, "Photos", Icon::Image, 0x8A55D9),
    (Page::Paint, "Paint", Icon::Brush, 0xE06A2B),
    (Page::Colours, "Colours", Icon::Drop, 0xD9486E),
    (Page::Browser, "Browser", Icon::Globe, 0x168FB8),
    (Page::Busy, "Busy", Icon::Pulse, 0x1F9D6B),
];

/// What an app is called.
pub fn app_name(ui: &Ui, page: &Page) -> String {
    match page {
        Page::App(at) => ui
            .state
            .saved
            .apps
            .get(*at)
            .map_or_else(String::new, |app| app.name.clone()),
        _ => APPS
            .iter()
            .find(|(known, ..)| known == page)
            .map_or_else(String::new, |(_, name, ..)| (*name).to_owned()),
    }
}

fn wallpaper(ui: &mut Ui) {
    let screen = ui.screen();
    let colors: [u32; 5] = if ui.state.saved.dark {
        [0x121633, 0x2A2252, 0x2F2B66, 0x3B2A63, 0x452C5C]
    } else {
        [0x5A8FE8, 0x8F8AE6, 0x7C9BF0, 0xA68FEA, 0xC792DE]
    };
    let [top, bottom, one, two, three] = colors.map(Color::hex);
    ui.step(Shape::Gradient {
        rect: screen,
        top,
        bottom,
    });
    let (w, h) = (screen.w as f32, screen.h as f32);
    let side = w.max(h);
    ui.disc(
        (w * 0.95).round(),
        (h * 0.38).round(),
        (side * 0.26).round(),
        one.alpha(0.5),
    );
    ui.disc(
        (w * 0.02).round(),
        (h * 0.68).round(),
        (side * 0.30).round(),
        two.alpha(0.45),
    );
    ui.disc(
        (w * 0.72).round(),
        (h * 1.02).round(),
        (side * 0.28).round(),
        three.alpha(0.45),
    );
}

/// An app's round icon and its name beneath.
fn app(ui: &mut Ui, cell: Rect, page: Page, name: &str, icon: Option<Icon>, color: Color) {
    let white = Color::hex(0xFFFFFF);
    let side = ui.dp(58.0).min(cell.w * 4 / 5);
    let (cx, cy) = (cell.x + cell.w / 2, cell.y + ui.dp(6.0) + side / 2);
    let tile = Rect::new(cx - side / 2, cy - side / 2, side, side);
    ui.fill(tile, side * 3 / 10, color);
    match icon {
        Some(icon) => ui.icon(icon, cx, cy, side * 6 / 11, white),
        None => {
            let letter: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
            ui.text_in(tile, &letter, side as f32 * 0.48, Weight::Medium, white);
        }
    }
    let words = Rect::new(
        cell.x,
        tile.bottom() + ui.dp(4.0),
        cell.w,
        (ui.sp(13.0) * 1.5) as i32,
    );
    ui.text_in(words, name, ui.sp(13.0), Weight::Medium, white);
    let touch = Rect::new(cell.x, tile.y, cell.w, words.bottom() - tile.y);
    ui.target(touch, ui.dp(18.0), Action::Launch(page));
    let id = format!("app-{}", name.to_lowercase().replace(' ', "-"));
    ui.element("button", &id, name, touch);
}

/// The home screen.
pub fn launcher(ui: &mut Ui) {
    wallpaper(ui);
    let screen = ui.screen();
    let state = ui.state;
    let white = Color::hex(0xFFFFFF);
    let columns = (screen.w / ui.dp(92.0)).clamp(2, 8);
    let cell_w = (screen.w - ui.dp(24.0)) / columns;
    let cell_h = ui.dp(74.0) + (ui.sp(13.0) * 1.6) as i32;
    let count = APPS.len() + state.saved.apps.len();
    let rows = (count as i32 + columns - 1) / columns;
    let bottom = screen.h - nav_height(ui) - ui.dp(16.0);
    let grid = bottom - rows * cell_h;
    let head = status_height(ui);
    let size = (ui.dp(76.0)).min((grid - head) / 2).max(1) as f32;
    if grid - head > ui.dp(70.0) {
        let box_top = head + ((grid - head) as f32 * 0.26) as i32;
        let line = Rect::new(
            ui.dp(20.0),
            box_top,
            screen.w - ui.dp(40.0),
            (size * 1.1) as i32,
        );
        let time = if state.saved.clean_bar {
            "9:41".to_owned()
        } else {
            clock(state.wall_ms)
        };
        ui.text_in(line, &time, size, Weight::Regular, white);
        if let Some(element) = ui.element("static text", "home-clock", "Clock", line) {
            element.value = Some(time);
        }
        let day = date(state.wall_ms);
        let below = Rect::new(line.x, line.bottom(), line.w, (ui.sp(17.0) * 1.6) as i32);
        ui.text_in(below, &day, ui.sp(17.0), Weight::Medium, white.alpha(0.92));
        ui.element("static text", "home-date", &day, below);
    }
    let place = |at: usize| {
        let at = at as i32;
        Rect::new(
            screen.x + (screen.w - columns * cell_w) / 2 + at % columns * cell_w,
            grid + at / columns * cell_h,
            cell_w,
            cell_h,
        )
    };
    for (at, (page, name, icon, color)) in APPS.into_iter().enumerate() {
        app(ui, place(at), page, name, Some(icon), Color::hex(color));
    }
    for (at, installed) in state.saved.apps.iter().enumerate() {
        let color = Color::hex(TILES[(at + 1) % TILES.len()]);
        app(
            ui,
            place(APPS.len() + at),
            Page::App(at),
            &installed.name,
            None,
            color,
        );
    }
}

/// The apps in use, newest first.
pub fn recents(ui: &mut Ui) {
    wallpaper(ui);
    let screen = ui.screen();
    let white = Color::hex(0xFFFFFF);
    ui.fill(screen, 0, Color::hex(0).alpha(0.28));
    let top = status_height(ui) + ui.dp(24.0);
    let column = ui.column(screen.inset(ui.dp(20.0)), 560.0);
    let stacks: Vec<Page> = ui
        .state
        .recents
        .iter()
        .map(|stack| stack[1].clone())
        .collect();
    if stacks.is_empty() {
        ui.text_in(screen, "No recent apps", ui.sp(18.0), Weight::Medium, white);
        ui.element(
            "static text",
            "no-recents",
            "No recent apps",
            screen.inset(screen.h / 3),
        );
        return;
    }
    let gap = ui.dp(12.0);
    let clear_h = ui.dp(48.0);
    let room = screen.h - top - nav_height(ui) - clear_h - gap * 2;
    let card_h = (room / stacks.len() as i32 - gap).min(ui.dp(112.0));
    for (at, page) in stacks.iter().enumerate() {
        let card = Rect::new(column.x, top + at as i32 * (card_h + gap), column.w, card_h);
        let name = app_name(ui, page);
        let (icon, color) = APPS
            .iter()
            .find(|(known, ..)| known == page)
            .map_or((Icon::Apps, TILES[1]), |(_, _, icon, color)| {
                (*icon, *color)
            });
        ui.fill(card, ui.dp(24.0), ui.theme.card);
        let side = ui.dp(44.0).min(card_h * 3 / 4);
        let tile = Rect::new(
            card.x + ui.dp(18.0),
            card.y + (card.h - side) / 2,
            side,
            side,
        );
        ui.fill(tile, side * 3 / 10, Color::hex(color));
        ui.icon(
            icon,
            tile.x + side / 2,
            tile.y + side / 2,
            side * 6 / 11,
            white,
        );
        let words = Rect::new(
            tile.right() + ui.dp(16.0),
            card.y,
            card.right() - tile.right() - ui.dp(32.0),
            card.h,
        );
        ui.label(words, &name, ui.sp(18.0), Weight::Medium, ui.theme.ink);
        ui.target(card, ui.dp(24.0), Action::Resume(at));
        ui.element("button", &format!("recent-{at}"), &name, card);
    }
    let w = ui.dp(132.0);
    let clear = Rect::new(
        (screen.w - w) / 2,
        screen.h - nav_height(ui) - clear_h - gap,
        w,
        clear_h,
    );
    ui.fill(clear, clear_h / 2, white.alpha(0.22));
    ui.text_in(clear, "Clear all", ui.sp(15.0), Weight::Medium, white);
    ui.target(clear, clear_h / 2, Action::Forget);
    ui.element("button", "clear-all", "Clear all", clear);
}
