//! The settings list and each setting's own page.

use super::controls::{slider, switch};
use super::{nav_height, scaffold, scrolled};
use crate::phone::canvas::Color;
use crate::phone::font::Weight;
use crate::phone::geom::Rect;
use crate::phone::icons::Icon;
use crate::phone::saved::FONT_SCALES;
use crate::phone::state::{Action, Page};
use crate::phone::theme::TILES;
use crate::phone::ui::Ui;

/// The rows: icon, title, what it says beneath.
pub const ROWS: [(Icon, &str, &str); 34] = [
    (
        Icon::Wifi,
        "Network & internet",
        "Wi-Fi, mobile data, airplane mode",
    ),
    (Icon::Devices, "Connected devices", "Bluetooth, pairing"),
    (Icon::Apps, "Apps", "Recent apps, default apps"),
    (
        Icon::Bell,
        "Notifications",
        "Notification history, conversations",
    ),
    (Icon::Battery, "Battery", "Level and charging"),
    (Icon::Storage, "Storage", "38% used, 79 GB free"),
    (
        Icon::Sound,
        "Sound & vibration",
        "Volume, ring, do not disturb",
    ),
    (Icon::Sun, "Display", "Dark theme, font size, brightness"),
    (
        Icon::Image,
        "Wallpaper & style",
        "Colours, icons, home screen",
    ),
    (Icon::Access, "Accessibility", "Display, interaction, audio"),
    (
        Icon::Shield,
        "Security & privacy",
        "App security, device lock",
    ),
    (Icon::Pin, "Location", "Where this device is"),
    (Icon::Heart, "Safety & emergency", "Medical info, alerts"),
    (
        Icon::Person,
        "Passwords & accounts",
        "Saved passwords, autofill",
    ),
    (Icon::Clock, "Digital wellbeing", "Screen time, app timers"),
    (Icon::Globe, "Languages", "English, formats and regions"),
    (Icon::Pencil, "Keyboard", "On-screen keyboard, pointers"),
    (Icon::Clock, "Date & time", "Time zone, 24-hour format"),
    (Icon::Moon, "Bedtime mode", "Off"),
    (Icon::Phone, "Gestures", "Navigation, lift to wake"),
    (Icon::Storage, "Backup", "On this device only"),
    (Icon::Lock, "Screen lock", "None"),
    (Icon::Page, "Documents", "Default viewer, sharing"),
    (Icon::Tune, "Developer options", "Animations, layout bounds"),
    (Icon::Pulse, "Diagnostics", "Usage, crash reports"),
    (Icon::Person, "Multiple users", "Signed in as Owner"),
    (Icon::Bolt, "Battery saver", "Turns on at 20%"),
    (Icon::Drop, "Night light", "Off, tints the screen amber"),
    (Icon::Devices, "Cast", "Not connected"),
    (Icon::Page, "Printing", "1 print service on"),
    (Icon::Search, "Search", "Results from this device"),
    (Icon::Heart, "Tips & support", "Help articles"),
    (Icon::Gear, "System", "Languages, gestures, time, backup"),
    (Icon::Info, "About phone", "Test phone"),
];

fn row_height(ui: &Ui) -> i32 {
    ui.dp(34.0) + (ui.sp(17.0) * 1.25) as i32 + (ui.sp(14.0) * 1.25) as i32
}

/// The list.
pub fn list(ui: &mut Ui) {
    let area = scaffold(ui, "Settings");
    let row_h = row_height(ui);
    let pad = ui.dp(16.0);
    let content = row_h * ROWS.len() as i32 + pad + nav_height(ui);
    let outer = ui.clip;
    ui.clip = area.intersect(&outer);
    let scroll = scrolled(ui, Page::Settings, area, content);
    let column = ui.column(area.offset(0, -scroll), 680.0);
    ui.enter("list", "settings-list", "Settings", area);
    let card = Rect::new(
        column.x + pad,
        column.y,
        column.w - 2 * pad,
        row_h * ROWS.len() as i32,
    );
    ui.fill(card, ui.dp(24.0), ui.theme.card);
    for (at, (icon, title, below)) in ROWS.iter().enumerate() {
        let row = Rect::new(card.x, card.y + at as i32 * row_h, card.w, row_h);
        if row.intersect(&ui.clip).is_empty() {
            continue;
        }
        let about;
        let below = if at == ROWS.len() - 1 {
            about = ui.state.model.name.clone();
            &about
        } else {
            *below
        };
        if at > 0 {
            ui.fill(
                Rect::new(
                    row.x + ui.dp(72.0),
                    row.y,
                    row.w - ui.dp(72.0) - pad,
                    ui.dp(0.5).max(1),
                ),
                0,
                ui.theme.line,
            );
        }
        let side = ui.dp(40.0);
        let (cx, cy) = (row.x + pad + side / 2, row.y + row_h / 2);
        let color = Color::hex(TILES[at % TILES.len()]);
        ui.disc(cx as f32, cy as f32, side as f32 / 2.0, color);
        ui.icon(*icon, cx, cy, ui.dp(22.0), Color::hex(0xFFFFFF));
        let x = row.x + ui.dp(72.0);
        let width = row.right() - ui.dp(44.0) - x;
        let (big, small) = (ui.sp(17.0), ui.sp(14.0));
        let (h1, h2) = ((big * 1.25) as i32, (small * 1.25) as i32);
        let top = row.y + (row_h - h1 - h2 - ui.dp(2.0)) / 2;
        ui.label(
            Rect::new(x, top, width, h1),
            title,
            big,
            Weight::Medium,
            ui.theme.ink,
        );
        ui.label(
            Rect::new(x, top + h1 + ui.dp(2.0), width, h2),
            below,
            small,
            Weight::Regular,
            ui.theme.faint,
        );
        ui.icon(
            Icon::Chevron,
            row.right() - ui.dp(26.0),
            cy,
            ui.dp(20.0),
            ui.theme.faint,
        );
        ui.target(
            row,
            if at == 0 || at == ROWS.len() - 1 {
                ui.dp(24.0)
            } else {
                0
            },
            Action::Open(Page::Setting(at)),
        );
        if let Some(cell) = ui.element("cell", &format!("setting-{at}"), title, row) {
            cell.value = Some(below.to_owned());
        }
    }
    ui.close();
    ui.clip = outer;
}

/// One setting.
pub fn detail(ui: &mut Ui, row: usize) {
    let (icon, title, below) = ROWS[row.min(ROWS.len() - 1)];
    let area = scaffold(ui, title);
    let outer = ui.clip;
    ui.clip = area.intersect(&outer);
    let pad = ui.dp(16.0);
    let head = ui.dp(112.0).max((ui.sp(16.0) * 4.2) as i32);
    let height = ui.dp(64.0).max((ui.sp(16.0) * 2.4) as i32);
    let tall = ui.dp(64.0) + (ui.sp(16.0) * 1.4) as i32;
    let content = head + height * 3 + tall + pad * 3 + nav_height(ui);
    let scroll = scrolled(ui, Page::Setting(row), area, content);
    let column = ui.column(area.offset(0, -scroll), 680.0);
    let card = Rect::new(column.x + pad, column.y, column.w - 2 * pad, head);
    ui.fill(card, ui.dp(24.0), ui.theme.card);
    let side = ui.dp(56.0);
    let (cx, cy) = (card.x + ui.dp(24.0) + side / 2, card.y + card.h / 2);
    ui.disc(
        cx as f32,
        cy as f32,
        side as f32 / 2.0,
        Color::hex(TILES[row % TILES.len()]),
    );
    ui.icon(icon, cx, cy, ui.dp(30.0), Color::hex(0xFFFFFF));
    let x = cx + side / 2 + ui.dp(18.0);
    let lines = facts(ui, title, below);
    let size = ui.sp(16.0);
    let line_h = (size * 1.4) as i32;
    for (at, line) in lines.iter().enumerate() {
        let top = cy - line_h * lines.len() as i32 / 2 + at as i32 * line_h;
        let rect = Rect::new(x, top, card.right() - x - pad, line_h);
        let ink = if at == 0 {
            ui.theme.ink
        } else {
            ui.theme.faint
        };
        ui.label(
            rect,
            line,
            size,
            if at == 0 {
                Weight::Medium
            } else {
                Weight::Regular
            },
            ink,
        );
        ui.element("static text", &format!("fact-{at}"), line, rect);
    }
    let mut y = card.bottom() + pad;
    let first = match title {
        "Display" => ("Dark theme", "dark-theme".to_owned()),
        "Network & internet" => ("Airplane mode", "airplane-mode".to_owned()),
        _ => ("Use this setting", format!("setting-{row}-use-on")),
    };
    let switches = [
        first,
        ("Show in quick settings", format!("setting-{row}-quick")),
        ("Notify me", format!("setting-{row}-notify-on")),
    ];
    let group = Rect::new(card.x, y, card.w, height * 3);
    ui.fill(group, ui.dp(24.0), ui.theme.card);
    for (words, name) in switches {
        switch(ui, Rect::new(card.x, y, card.w, height), words, &name);
        y += height;
    }
    y += pad;
    let (words, name) = if title == "Display" {
        ("Font size", "font-size".to_owned())
    } else {
        ("Level", format!("setting-{row}-level"))
    };
    let group = Rect::new(card.x, y, card.w, tall);
    ui.fill(group, ui.dp(24.0), ui.theme.card);
    slider(ui, group, words, &name);
    ui.clip = outer;
}

/// What a setting's card says of the phone as it is.
fn facts(ui: &Ui, title: &str, below: &str) -> Vec<String> {
    let saved = &ui.state.saved;
    match title {
        "Battery" => {
            let power = if saved.battery.charging {
                "Charging"
            } else {
                "On battery"
            };
            vec![format!("{}%", saved.battery.level), power.to_owned()]
        }
        "Location" => vec![
            format!(
                "{:.5}, {:.5}",
                saved.location.latitude, saved.location.longitude
            ),
            "Degrees north and east".to_owned(),
        ],
        "Network & internet" => {
            let words = format!("{:?}", saved.network);
            vec![words, below.to_owned()]
        }
        "Display" => {
            let theme = if saved.dark {
                "Dark theme"
            } else {
                "Light theme"
            };
            vec![
                theme.to_owned(),
                format!("Font size {}", FONT_SCALES[saved.font_step]),
            ]
        }
        "About phone" => {
            let (w, h) = ui.state.panel();
            vec![ui.state.model.name.clone(), format!("{w} × {h} pixels")]
        }
        _ => vec![title.to_owned(), below.to_owned()],
    }
}
