//! What is drawn, what is touched and what is told are one.

use super::*;
use crate::phone::view::COLOURS;

#[test]
fn a_tap_on_each_app_opens_its_page_in_each_orientation() {
    for to in ["upright", "turned-left", "upside-down", "turned-right"] {
        for (app, page) in [
            ("settings", "settings"),
            ("controls", "controls"),
            ("colours", "colours"),
            ("busy", "busy"),
        ] {
            let mut rig = Rig::new("Test device");
            rig.control(&format!(r#"{{"action":"rotate","to":"{to}"}}"#));
            rig.settle();
            rig.tap(&format!("app-{app}"));
            assert!(
                rig.phone.state().contains(&format!(r#""page":"{page}""#)),
                "{to} {app}"
            );
        }
    }
}

#[test]
fn a_closed_fold_takes_touches_in_the_inner_panels_space() {
    let mut rig = Rig::new("Test foldable");
    rig.settle();
    assert_eq!(rig.phone.size(), (1080, 2092));
    rig.tap("app-settings");
    assert!(rig.find("settings-list").is_some());
    rig.control(r#"{"action":"posture","to":"half-open"}"#);
    rig.settle();
    assert_eq!(rig.phone.size(), (2208, 1840));
    rig.tap("setting-1");
    assert!(rig.phone.state().contains("setting(1)"));
}

#[test]
fn the_tree_says_what_is_drawn_and_nothing_that_is_not() {
    let mut rig = Rig::new("Test device");
    rig.open("colours");
    for (name, rgb) in COLOURS {
        let frame = rig.find(&format!("colour-{name}")).unwrap().frame;
        let want = [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8];
        let canvas = rig.phone.canvas();
        // Every corner and the middle are the colour that the tree tells.
        for (x, y) in [
            (frame.x, frame.y),
            (frame.right() - 1, frame.bottom() - 1),
            (frame.x + frame.w / 2, frame.y + frame.h / 2),
        ] {
            assert_eq!(canvas.pixel(x as usize, y as usize), want, "{name}");
        }
    }
    rig.open("settings");
    assert!(rig.find("setting-0").is_some());
    assert!(
        rig.find("setting-33").is_none(),
        "a row below the screen is not in the tree"
    );
}

#[test]
fn a_finger_on_the_sheet_leaves_its_mark_on_the_pixel_it_is_on_however_the_device_is_held() {
    for model in ["540x1200", "Test foldable", "101x333"] {
        for to in ["upright", "turned-left", "upside-down", "turned-right"] {
            let mut rig = Rig::new(model);
            rig.control(&format!(r#"{{"action":"rotate","to":"{to}"}}"#));
            rig.open("paint");
            let sheet = rig.find("sheet").unwrap().frame;
            let at = (sheet.x + sheet.w / 3, sheet.y + sheet.h * 2 / 3);
            rig.down(&[(at.0 as f32, at.1 as f32)]);
            rig.settle();
            let canvas = rig.phone.canvas();
            let want = canvas::Color::hex(theme::TILES[0]);
            let mut lit = (0, 0, 0);
            for y in sheet.y..sheet.bottom() {
                for x in sheet.x..sheet.right() {
                    if canvas.pixel(x as usize, y as usize) == [want.r, want.g, want.b] {
                        lit = (lit.0 + x, lit.1 + y, lit.2 + 1);
                    }
                }
            }
            assert!(lit.2 > 0, "{model} {to}");
            // The mark's middle is the finger's pixel; a stretched sensor may miss it by its own rounding.
            let middle = (lit.0 as f32 / lit.2 as f32, lit.1 as f32 / lit.2 as f32);
            let away = (middle.0 - at.0 as f32)
                .abs()
                .max((middle.1 - at.1 as f32).abs());
            assert!(away < 1.0, "{model} {to} {middle:?} {at:?}");
        }
    }
}

#[test]
fn ten_fingers_draw_ten_lines_and_clear_wipes_them() {
    let mut rig = Rig::new("Test device");
    rig.open("paint");
    for step in 0..20 {
        let fingers: Vec<(f32, f32)> = (0..10)
            .map(|i| (100.0 + i as f32 * 90.0, (600 + step * 20) as f32))
            .collect();
        rig.down(&fingers);
        rig.pass(16.0);
    }
    rig.down(&[]);
    assert_eq!(rig.phone.state.marks.len(), 200);
    rig.tap("clear");
    assert!(rig.phone.state.marks.is_empty());
}

#[test]
fn a_fling_goes_on_after_the_finger_and_ends_alike_at_any_frame_rate() {
    let ends: Vec<i32> = [4.0, 16.0, 37.0]
        .into_iter()
        .map(|step| {
            let mut rig = Rig::new("Test device");
            rig.open("settings");
            rig.swipe((500.0, 1800.0), (500.0, 900.0), 160.0);
            let let_go = rig.scrolled(&state::Page::Settings);
            let mut moved = 0;
            while rig.phone.frame.moving {
                moved += i32::from(rig.pass(step));
                assert!(rig.now < 20_000.0, "the fling ends");
            }
            assert!(moved > 5, "it moves by itself");
            let rest = rig.scrolled(&state::Page::Settings);
            assert!(rest > let_go + 300, "{let_go} {rest}");
            rest
        })
        .collect();
    assert_eq!(ends, [ends[0]; 3]);
}

#[test]
fn a_tap_stops_a_fling_and_opens_nothing() {
    let mut rig = Rig::new("Test device");
    rig.open("settings");
    rig.swipe((500.0, 1800.0), (500.0, 600.0), 120.0);
    rig.pass(60.0);
    rig.tap_at(500.0, 1200.0);
    rig.settle();
    assert!(rig.phone.state().contains(r#""page":"settings""#));
    assert!(
        rig.phone.next_ms().is_some_and(|at| at > rig.now),
        "only the clock is left to move"
    );
}

#[test]
fn a_drawn_frame_is_the_same_whether_drawn_whole_or_by_what_changed() {
    let mut rig = Rig::new("Test device");
    rig.settle();
    rig.tap("app-settings");
    rig.swipe((500.0, 1800.0), (500.0, 900.0), 160.0);
    for step in 0..30 {
        rig.pass(16.0);
        rig.phone.draw().unwrap();
        if step % 10 == 3 {
            let by_parts = rig.phone.canvas.data().to_vec();
            rig.phone.drawn.clear();
            rig.phone.draw().unwrap();
            assert!(by_parts == rig.phone.canvas.data(), "frame {step}");
        }
    }
    rig.settle();
    rig.tap("setting-20");
    rig.control(r#"{"action":"appearance","to":"dark"}"#);
    rig.control(r#"{"action":"text_size","to":2}"#);
    rig.settle();
    let by_parts = rig.phone.canvas.data().to_vec();
    rig.phone.drawn.clear();
    rig.phone.draw().unwrap();
    assert!(by_parts == rig.phone.canvas.data());
}

#[test]
fn a_pinch_zooms_the_photo_about_the_fingers() {
    let mut rig = Rig::new("Test device");
    rig.open("photos");
    assert_eq!(rig.value("photo"), "1.00×");
    rig.down(&[(440.0, 1200.0), (640.0, 1200.0)]);
    for step in 1..=10 {
        rig.pass(16.0);
        let half = 100.0 + step as f32 * 20.0;
        rig.down(&[(540.0 - half, 1200.0), (540.0 + half, 1200.0)]);
    }
    rig.phone.touch(&[], rig.now);
    assert_eq!(rig.value("photo"), "3.00×");
    assert!((rig.phone.state.photo.x - 0.5).abs() < 0.01);
}

#[test]
fn a_touch_leaves_a_ripple_that_fades() {
    let mut rig = Rig::new("Test device");
    rig.open("controls");
    let frame = rig.find("reset").unwrap().frame;
    let middle = (
        (frame.x + frame.w / 8) as usize,
        (frame.y + frame.h / 2) as usize,
    );
    let before = rig.phone.canvas().pixel(middle.0, middle.1);
    rig.down(&[((frame.x + frame.w / 8) as f32, middle.1 as f32)]);
    rig.pass(200.0);
    rig.phone.draw().unwrap();
    assert_ne!(rig.phone.canvas().pixel(middle.0, middle.1), before);
    rig.run(r#"{"do":"lift"}"#);
    rig.settle();
    assert_eq!(rig.phone.canvas().pixel(middle.0, middle.1), before);
}

#[test]
fn the_same_seed_draws_the_same_busy_frames_and_another_seed_others() {
    let picture = |seed: u32| {
        let mut phone = Phone::new("360x640", Scene::Busy, WALL).unwrap();
        phone
            .command(&format!(r#"{{"do":"seed","seed":{seed}}}"#), 0.0)
            .unwrap();
        for frame in 1..20 {
            assert!(
                phone.advance(f64::from(frame) * 16.0, WALL),
                "every frame differs"
            );
            phone.draw().unwrap();
        }
        phone.canvas().data().to_vec()
    };
    assert!(picture(1) == picture(1));
    assert!(picture(1) != picture(2));
}

#[test]
fn every_page_is_drawn_at_odd_and_tiny_sizes_and_the_largest_text() {
    for model in ["64x64", "101x333", "640x360", "Test foldable"] {
        let mut rig = Rig::new(model);
        rig.control(r#"{"action":"text_size","to":2}"#);
        for page in [
            "settings", "controls", "notes", "photos", "colours", "busy", "paint",
        ] {
            rig.open(page);
        }
        rig.control(r#"{"action":"recents"}"#);
        rig.settle();
    }
}

#[test]
fn a_still_is_what_the_canvas_shows_and_is_drawn_without_the_region() {
    let mut rig = Rig::new("Test foldable");
    rig.control(r#"{"action":"posture","to":"open"}"#);
    rig.open("colours");
    let still = rig.phone.still().unwrap();
    assert_eq!((still.layout.width, still.layout.height), (2208, 1840));
    assert_eq!(still.pixels, rig.phone.canvas().data());
    // What was not drawn for a viewer yet is pictured all the same, and drawn for them after it as if nothing had been.
    rig.run(r#"{"do":"open","url":"bb-test://settings"}"#);
    rig.pass(400.0);
    let ahead = rig.phone.still().unwrap();
    assert!(ahead.pixels != rig.phone.canvas().data());
    rig.phone.draw().unwrap();
    assert!(ahead.pixels == rig.phone.canvas().data());
    rig.control(r#"{"action":"lock"}"#);
    assert!(rig.phone.still().is_none());
}
