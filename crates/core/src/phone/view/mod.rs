//! The screens. [`build`] makes the frame of a moment from the phone's state and nothing else.

mod controls;
mod fields;
mod home;
mod pages;
mod settings;

pub use pages::COLOURS;

use super::canvas::Color;
use super::font::{Fonts, Weight};
use super::geom::Rect;
use super::icons::Icon;
use super::saved::Network;
use super::state::{Action, Page, Scene, State};
use super::ui::{Area, Frame, Ui};

/// Half a caret's blink, in ms.
const BLINK_MS: f64 = 530.0;

/// How long a phone that was started again shows its mark, in ms.
pub const BOOT_MS: f64 = 700.0;

/// The frame to show now.
pub fn build(state: &State, fonts: &mut Fonts, now: f64) -> Frame {
    let mut ui = Ui::new(state, fonts, now);
    if now < state.rebooted + BOOT_MS {
        pages::boot(&mut ui);
        return ui.frame;
    }
    match state.page().clone() {
        Page::Home => home::launcher(&mut ui),
        Page::Recents => home::recents(&mut ui),
        Page::Settings => settings::list(&mut ui),
        Page::Setting(row) => settings::detail(&mut ui, row),
        Page::Controls => controls::page(&mut ui),
        Page::Notes => fields::notes(&mut ui),
        Page::Photos => pages::photos(&mut ui),
        Page::Colours => pages::colours(&mut ui),
        Page::Paint => pages::paint(&mut ui),
        Page::Browser => pages::browser(&mut ui),
        Page::Busy => pages::busy(&mut ui),
        Page::App(at) => pages::app(&mut ui, at),
    }
    status_bar(&mut ui);
    nav_bar(&mut ui);
    ripples(&mut ui);
    if state.dialog {
        controls::dialog(&mut ui);
    }
    toast(&mut ui);
    ui.frame
}

/// Height of the status bar.
fn status_height(ui: &Ui) -> i32 {
    ui.dp(38.0)
}

/// Height of the strip with the home handle.
fn nav_height(ui: &Ui) -> i32 {
    ui.dp(24.0)
}

/// Pictures light ink on these pages, whatever the theme.
fn on_picture(page: &Page) -> bool {
    matches!(page, Page::Home | Page::Recents | Page::Photos)
}

fn status_bar(ui: &mut Ui) {
    let state = ui.state;
    let h = status_height(ui);
    let screen = ui.screen();
    let ink = if on_picture(state.page()) {
        Color::hex(0xFFFFFF)
    } else {
        ui.theme.ink
    };
    // Not the person's text size: a status bar's height is fixed.
    let size = (ui.dp(14.0)) as f32;
    let middle = h / 2 + ui.dp(2.0);
    let baseline = middle + (size * 0.355) as i32;
    let clock = if state.saved.clean_bar {
        "9:41".to_owned()
    } else {
        clock(state.wall_ms)
    };
    ui.text(
        ui.dp(26.0) as f32,
        baseline,
        &clock,
        size,
        Weight::Medium,
        ink,
    );
    let bar = Rect::new(0, 0, screen.w, h);
    if let Some(element) = ui.element(
        "static text",
        "status-clock",
        "Clock",
        Rect::new(0, 0, screen.w / 2, h),
    ) {
        element.value = Some(clock);
    }
    let icon = ui.dp(17.0);
    let mut x = screen.w - ui.dp(26.0);
    let battery = state.saved.battery;
    let (bw, bh) = (ui.dp(23.0), ui.dp(11.5));
    x -= bw;
    let shell = Rect::new(x, middle - bh / 2, bw, bh);
    let ground = ink.alpha(0.35);
    ui.fill(shell, ui.dp(3.5), ground);
    let filled = (shell.w * i32::from(battery.level.min(100)) / 100).max(1);
    let low = battery.level <= 15 && !battery.charging;
    let level = if battery.charging {
        Color::hex(0x35B86A)
    } else if low {
        Color::hex(0xE04F45)
    } else {
        ink
    };
    let outer = ui.clip;
    ui.clip = Rect::new(shell.x, shell.y, filled, shell.h).intersect(&outer);
    ui.fill(shell, ui.dp(3.5), level);
    ui.clip = outer;
    ui.fill(
        Rect::new(
            shell.right() + ui.dp(1.0),
            middle - ui.dp(2.0),
            ui.dp(2.0),
            ui.dp(4.0),
        ),
        ui.dp(1.0),
        ground,
    );
    if battery.charging {
        ui.icon(Icon::Bolt, shell.x + shell.w / 2, middle, ui.dp(13.0), ink);
    }
    let charging = if battery.charging { ", charging" } else { "" };
    if let Some(element) = ui.element("image", "status-battery", "Battery", shell) {
        element.value = Some(format!("{}%{charging}", battery.level));
    }
    if !state.saved.clean_bar {
        let percent = format!("{}%", battery.level);
        let small = ui.dp(12.5) as f32;
        let width = ui.fonts.width(&percent, small, Weight::Medium);
        x -= ui.dp(5.0) + width as i32;
        ui.text(
            x as f32,
            middle + (small * 0.355) as i32,
            &percent,
            small,
            Weight::Medium,
            ink,
        );
    }
    x -= ui.dp(6.0) + icon / 2;
    let network = if state.saved.clean_bar {
        Network::Online
    } else {
        state.saved.network
    };
    let (first, words) = match network {
        Network::Online => (Icon::Signal, "Online"),
        Network::Offline => (Icon::Plane, "Airplane mode"),
        Network::Slow => (Icon::Signal, "Slow"),
    };
    let faint = if network == Network::Slow {
        ink.alpha(0.5)
    } else {
        ink
    };
    ui.icon(first, x, middle, icon, faint);
    let network_box = Rect::new(x - icon * 3 / 2, 0, icon * 2, h);
    if network != Network::Offline {
        x -= icon + ui.dp(2.0);
        ui.icon(Icon::Wifi, x, middle, icon, faint);
    }
    if let Some(element) = ui.element(
        "image",
        "status-network",
        "Network",
        network_box.intersect(&bar),
    ) {
        element.value = Some(words.to_owned());
    }
    if state.scene == Scene::Demo && !state.saved.clean_bar {
        ui.wake_at(ui.now + 60_000.0 - state.wall_ms.rem_euclid(60_000.0));
    }
}

fn nav_bar(ui: &mut Ui) {
    let screen = ui.screen();
    let h = nav_height(ui);
    let (w, t) = (ui.dp(110.0).min(screen.w / 3), ui.dp(4.0));
    let ink = if on_picture(ui.state.page()) {
        Color::hex(0xFFFFFF).alpha(0.85)
    } else {
        ui.theme.ink.alpha(0.75)
    };
    ui.fill(
        Rect::new((screen.w - w) / 2, screen.h - h / 2 - t / 2, w, t),
        t / 2,
        ink,
    );
}

fn ripples(ui: &mut Ui) {
    let outer = ui.clip;
    for ripple in &ui.state.ripples {
        let grown = ui.ease(ripple.since, 320.0);
        let gone = ripple.until.map_or(0.0, |until| ui.ease(until, 260.0));
        let ink = if on_picture(ui.state.page()) {
            Color::hex(0xFFFFFF)
        } else {
            ui.theme.ink
        };
        ui.clip = ripple.rect.intersect(&outer);
        ui.fill(
            ripple.rect,
            ripple.radius,
            ink.alpha(0.05 * grown * (1.0 - gone)),
        );
        let (w, h) = (ripple.rect.w as f32, ripple.rect.h as f32);
        let full = if ripple.radius * 2 >= ripple.rect.h {
            h / 2.0
        } else {
            (w * w + h * h).sqrt() * 0.7
        };
        let (cx, cy) = if ripple.radius * 2 >= ripple.rect.h {
            (
                ripple.rect.x as f32 + w / 2.0,
                ripple.rect.y as f32 + h / 2.0,
            )
        } else {
            ripple.at
        };
        ui.disc(
            cx.round(),
            cy.round(),
            (full * (0.15 + 0.85 * grown)).round(),
            ink.alpha(0.08 * (1.0 - gone)),
        );
        ui.clip = outer;
    }
}

fn toast(ui: &mut Ui) {
    let Some((words, until)) = &ui.state.toast else {
        return;
    };
    if ui.now >= *until {
        return;
    }
    let until = *until;
    ui.wake_at(until);
    let screen = ui.screen();
    let size = ui.sp(14.0);
    let width = (ui.fonts.width(words, size, Weight::Regular) as i32 + ui.dp(40.0))
        .min(screen.w - ui.dp(32.0));
    let h = (size * 1.3) as i32 + ui.dp(24.0);
    let rect = Rect::new(
        (screen.w - width) / 2,
        screen.h - nav_height(ui) - h - ui.dp(40.0),
        width,
        h,
    );
    ui.fill(rect, h / 2, Color::hex(0x2E303A));
    ui.text_in(
        rect.inset(ui.dp(16.0)),
        words,
        size,
        Weight::Regular,
        Color::hex(0xF2F2F7),
    );
    ui.element("static text", "toast", words, rect);
}

/// Ground, title bar and what is left for the page. The page comes in from the side it lies on.
fn scaffold(ui: &mut Ui, title: &str) -> Rect {
    let screen = ui.screen();
    ui.fill(screen, 0, ui.theme.back);
    let top = status_height(ui);
    let bar = Rect::new(
        0,
        top,
        screen.w,
        ui.dp(60.0).max((ui.sp(22.0) * 1.6) as i32),
    );
    let reach = ui.dp(44.0);
    let button = Rect::new(ui.dp(8.0), bar.y + (bar.h - reach) / 2, reach, reach);
    ui.icon(
        Icon::Back,
        button.x + reach / 2,
        button.y + reach / 2,
        ui.dp(24.0),
        ui.theme.ink,
    );
    ui.target(button, reach / 2, Action::Back);
    ui.element("button", "navigate-up", "Back", button);
    let words = Rect::new(
        button.right() + ui.dp(6.0),
        bar.y,
        bar.w - button.right() - ui.dp(24.0),
        bar.h,
    );
    ui.label(words, title, ui.sp(22.0), Weight::Medium, ui.theme.ink);
    ui.element("heading", "title", title, words);
    let (since, side) = ui.state.page_since;
    let shift = if side == 0.0 {
        0.0
    } else {
        (1.0 - ui.ease(since, 240.0)) * side
    };
    let area = Rect::new(0, bar.bottom(), screen.w, screen.h - bar.bottom());
    area.offset((ui.dp(64.0) as f32 * shift).round() as i32, 0)
}

/// Clips to the page's scrolling part and answers how far it is scrolled. `content` is its whole height.
fn scrolled(ui: &mut Ui, page: Page, area: Rect, content: i32) -> i32 {
    let max = f64::from((content - area.h).max(0));
    let (at, moving) = ui
        .state
        .scrolls
        .get(&page)
        .copied()
        .unwrap_or_default()
        .at(ui.now, max);
    ui.frame.moving |= moving;
    ui.frame.areas.push(Area {
        page,
        rect: area,
        max,
    });
    at.round() as i32
}

/// "9:05" of a wall clock.
fn clock(wall_ms: f64) -> String {
    let minutes = (wall_ms / 60_000.0).floor() as i64;
    format!(
        "{}:{:02}",
        minutes.rem_euclid(1440) / 60,
        minutes.rem_euclid(60)
    )
}

/// "Tuesday, 30 November" of a wall clock.
fn date(wall_ms: f64) -> String {
    const DAYS: [&str; 7] = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let days = (wall_ms / 86_400_000.0).floor() as i64;
    // Years counted from March, so that the leap day is the last: then the month is a line through the day's number.
    let era_day = (days + 719_468).rem_euclid(146_097);
    let year = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
    let of_year = era_day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let weekday = (days + 3).rem_euclid(7);
    format!(
        "{}, {day} {}",
        DAYS[weekday as usize],
        MONTHS[((month + 2) % 12) as usize]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_known_days_is_right() {
        assert_eq!(date(0.0), "Thursday, 1 January");
        assert_eq!(date(951_782_400_000.0), "Tuesday, 29 February");
        assert_eq!(date(1_795_996_800_000.0), "Monday, 30 November");
        assert_eq!(clock(1_795_996_800_000.0 + 65.0 * 60_000.0), "1:05");
    }
}
