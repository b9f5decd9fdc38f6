//! The phone as a whole: what a finger reaches is what is drawn and what the tree says.

use super::*;
use crate::phone::view::COLOURS;

const WALL: f64 = 1_796_030_700_000.0;

struct Rig {
    phone: Phone,
    now: f64,
}

impl Rig {
    fn new(model: &str) -> Self {
        let phone = Phone::new(model, Scene::Demo, WALL).unwrap();
        Self {
            phone,
            now: 1_000.0,
        }
    }

    fn run(&mut self, command: &str) -> String {
        self.phone.command(command, self.now).unwrap()
    }

    fn control(&mut self, control: &str) {
        self.run(&format!(r#"{{"do":"control","control":{control}}}"#));
    }

    fn open(&mut self, page: &str) {
        self.run(&format!(r#"{{"do":"open","url":"bb-test://{page}"}}"#));
        self.settle();
    }

    fn pass(&mut self, ms: f64) -> bool {
        self.now += ms;
        self.phone.advance(self.now, WALL)
    }

    /// Until nothing moves any more; drawn.
    fn settle(&mut self) {
        for _ in 0..400 {
            self.pass(16.0);
            if !self.phone.frame.moving {
                break;
            }
        }
        self.phone.draw().unwrap();
    }

    fn find(&self, id: &str) -> Option<&Element> {
        fn search<'a>(elements: &'a [Element], id: &str) -> Option<&'a Element> {
            elements.iter().find_map(|element| {
                if element.identifier.as_deref() == Some(id) {
                    Some(element)
                } else {
                    search(&element.children, id)
                }
            })
        }
        search(self.phone.tree(), id)
    }

    fn value(&self, id: &str) -> String {
        self.find(id)
            .and_then(|element| element.value.clone())
            .unwrap_or_else(|| panic!("no {id}"))
    }

    /// From the picture to the natural panel, as a driver does it.
    fn panel(&self, x: f32, y: f32) -> (f32, f32) {
        let state = &self.phone.state;
        let (w, h) = (state.size().0 as f32, state.size().1 as f32);
        let (u, v) = ((x + 0.5) / w, (y + 0.5) / h);
        let (u, v) = match state.saved.orientation {
            geom::Orientation::Upright => (u, v),
            geom::Orientation::TurnedLeft => (1.0 - v, u),
            geom::Orientation::UpsideDown => (1.0 - u, 1.0 - v),
            geom::Orientation::TurnedRight => (v, 1.0 - u),
        };
        let sensor = state.model.touch_panel();
        (u * sensor.0 as f32 - 0.5, v * sensor.1 as f32 - 0.5)
    }

    fn down(&mut self, points: &[(f32, f32)]) {
        let contacts: Vec<Contact> = (0u8..)
            .zip(points)
            .map(|(id, at)| {
                let (x, y) = self.panel(at.0, at.1);
                Contact { id, x, y }
            })
            .collect();
        self.phone.touch(&contacts, self.now);
    }

    fn tap_at(&mut self, x: f32, y: f32) {
        self.down(&[(x, y)]);
        self.pass(40.0);
        self.phone.touch(&[], self.now);
    }

    fn tap(&mut self, id: &str) {
        let frame = self.find(id).unwrap_or_else(|| panic!("no {id}")).frame;
        self.tap_at(
            (frame.x + frame.w / 2) as f32,
            (frame.y + frame.h / 2) as f32,
        );
        self.settle();
    }

    fn swipe(&mut self, from: (f32, f32), to: (f32, f32), ms: f64) {
        let steps = (ms / 8.0) as i32;
        self.down(&[from]);
        for step in 1..=steps {
            self.pass(8.0);
            let t = step as f32 / steps as f32;
            self.down(&[(from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t)]);
        }
        self.phone.touch(&[], self.now);
    }

    fn scrolled(&self, page: &state::Page) -> i32 {
        self.phone.state.scrolls[page].at(self.now, 1e9).0.round() as i32
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let key = if c == '\n' {
                "Enter".to_owned()
            } else {
                c.to_string()
            };
            self.phone.key(&key, true, self.now);
            self.phone.key(&key, false, self.now);
        }
    }
}

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
fn a_still_scene_never_changes_by_itself_with_a_caret_in_a_field() {
    let mut phone = Phone::new("Test device", Scene::Still, WALL).unwrap();
    phone
        .command(r#"{"do":"open","url":"bb-test://notes"}"#, 0.0)
        .unwrap();
    phone.touch(
        &[Contact {
            id: 0,
            x: 500.0,
            y: 1000.0,
        }],
        1_000.0,
    );
    phone.touch(&[], 1_040.0);
    phone.advance(3_000.0, WALL);
    phone.draw().unwrap();
    assert_eq!(phone.state.focus.as_deref(), Some("note"));
    for minute in 1..200 {
        assert!(!phone.advance(
            3_000.0 + f64::from(minute) * 60_000.0,
            WALL + f64::from(minute) * 60_000.0
        ));
    }
    assert_eq!(phone.next_ms(), None);
}

#[test]
fn in_the_demo_the_clock_ticks_at_the_minute_and_the_caret_blinks() {
    let mut rig = Rig::new("Test device");
    rig.settle();
    let wait = rig.phone.next_ms().unwrap() - rig.now;
    assert!((0.0..=60_000.0).contains(&wait));
    assert!(!rig.phone.advance(rig.now + wait - 1.0, WALL + wait - 1.0));
    assert!(rig.phone.advance(rig.now + wait, WALL + wait));
    rig.open("notes");
    rig.tap("note");
    let blink = rig.phone.next_ms().unwrap();
    assert!(blink - rig.now <= 530.0);
    assert!(rig.phone.advance(blink, WALL));
}

#[test]
fn text_is_typed_wrapped_selected_and_pasted() {
    let mut rig = Rig::new("Test device");
    rig.open("notes");
    rig.tap("note");
    rig.type_text("Grüße 日本 العربية 🙂\nline two");
    assert_eq!(rig.value("note"), "Grüße 日本 العربية 🙂\nline two");
    rig.phone.key("Control", true, rig.now);
    rig.type_text("ac");
    rig.phone.key("Control", false, rig.now);
    let events = rig.run(r#"{"do":"events"}"#);
    assert!(
        events.contains("clipboard") && events.contains("line two"),
        "{events}"
    );
    rig.phone.key("End", true, rig.now);
    rig.run(r#"{"do":"clipboard","text":"!"}"#);
    rig.phone.key("Paste", true, rig.now);
    assert!(rig.value("note").ends_with("line two!"));
}

#[test]
fn ten_thousand_pasted_characters_are_held_and_the_caret_is_seen() {
    let mut rig = Rig::new("Test device");
    rig.open("notes");
    rig.tap("note");
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(223);
    rig.run(&serde_json::json!({ "do": "clipboard", "text": text }).to_string());
    rig.phone.key("Control", true, rig.now);
    rig.type_text("v");
    rig.phone.key("Control", false, rig.now);
    assert_eq!(rig.value("note"), text);
    let caret = rig.phone.frame.caret.unwrap();
    assert!(caret.bottom() < 2400 && caret.y > 0);
    rig.type_text("end");
    assert!(rig.value("note").ends_with("dog. end"));
}

#[test]
fn a_tap_puts_the_caret_between_the_characters_it_hit_and_a_double_tap_takes_the_word() {
    let mut rig = Rig::new("Test device");
    rig.open("notes");
    rig.tap("note");
    rig.type_text("hello wide world");
    let field = &rig.phone.frame.fields[0];
    let (x, y) = (field.x, field.lines[0].top as f32 + 10.0);
    let size = field.size;
    let before = rig
        .phone
        .fonts
        .width("hello wi", size, font::Weight::Regular);
    rig.pass(1_000.0);
    rig.tap_at(x + before, y);
    assert_eq!(rig.phone.state.saved.fields["note"].caret(), 8);
    rig.pass(100.0);
    rig.tap_at(x + before, y);
    assert_eq!(rig.phone.state.saved.fields["note"].selected(), "wide");
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
fn switches_sliders_and_the_dialog_do_what_they_say() {
    let mut rig = Rig::new("Test device");
    rig.open("controls");
    assert_eq!(rig.value("wifi-calling"), "off");
    rig.tap("wifi-calling");
    assert_eq!(rig.value("wifi-calling"), "on");
    let track = rig.find("brightness").unwrap().frame;
    rig.swipe(
        ((track.x + track.w / 2) as f32, (track.y + 20) as f32),
        ((track.right() + 40) as f32, (track.y + 20) as f32),
        120.0,
    );
    assert_eq!(rig.value("brightness"), "100%");
    rig.tap("reset");
    assert!(
        rig.find("wifi-calling").is_none(),
        "what lies under a dialog is not in the tree"
    );
    rig.tap("dialog-cancel");
    assert_eq!(rig.value("wifi-calling"), "on");
    rig.tap("reset");
    rig.tap("dialog-ok");
    assert_eq!(rig.value("wifi-calling"), "off");
    assert_eq!(rig.value("brightness"), "50%");
}

#[test]
fn the_phones_own_dark_theme_switch_is_a_change_from_outside() {
    let mut rig = Rig::new("Test device");
    rig.open("settings");
    rig.tap("setting-7");
    rig.tap("dark-theme");
    assert!(rig.phone.state().contains(r#""appearance":"dark""#));
}

#[test]
fn home_back_and_recents_lead_where_they_say() {
    let mut rig = Rig::new("Test device");
    rig.open("settings");
    rig.tap("setting-2");
    rig.control(r#"{"action":"back"}"#);
    assert!(rig.phone.state().contains(r#""page":"settings""#));
    rig.control(r#"{"action":"home"}"#);
    rig.control(r#"{"action":"back"}"#);
    assert!(rig.phone.state().contains(r#""page":"home""#));
    rig.control(r#"{"action":"recents"}"#);
    rig.settle();
    rig.tap("recent-0");
    assert!(rig.find("settings-list").is_some());
    rig.swipe((540.0, 2390.0), (540.0, 1900.0), 120.0);
    assert!(rig.phone.state().contains(r#""page":"home""#));
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
fn a_sleeping_phone_has_no_picture_and_feels_no_finger() {
    let mut rig = Rig::new("Test device");
    rig.settle();
    rig.control(r#"{"action":"lock"}"#);
    assert_eq!(rig.phone.size(), (0, 0));
    assert_eq!(rig.phone.next_ms(), None);
    rig.tap_at(150.0, 1900.0);
    rig.control(r#"{"action":"wake"}"#);
    assert!(rig.phone.state().contains(r#""page":"home""#));
}

#[test]
fn what_is_saved_comes_back_and_a_reboot_keeps_it() {
    let mut rig = Rig::new("Test device");
    rig.control(r#"{"action":"text_size","to":"larger"}"#);
    rig.control(r#"{"action":"install","paths":["/x/Weather.apk"]}"#);
    let saved = rig.run(r#"{"do":"save"}"#);
    let mut other = Rig::new("Test device");
    other.run(&format!(r#"{{"do":"load","saved":{saved}}}"#));
    assert!(other.phone.state().contains(r#""fontScale":1.15"#));
    other.control(r#"{"action":"reboot"}"#);
    assert!(other.find("boot").is_some());
    other.settle();
    assert!(other.find("app-weather").is_some());
    assert!(other.phone.state().contains(r#""fontScale":1.15"#));
}

#[test]
fn a_wrong_request_is_refused_in_words() {
    let mut rig = Rig::new("Test device");
    for (request, words) in [
        (
            r#"{"do":"control","control":{"action":"posture","to":"open"}}"#,
            "hinge",
        ),
        (
            r#"{"do":"control","control":{"action":"text_size","to":1.7}}"#,
            "1.7",
        ),
        (
            r#"{"do":"control","control":{"action":"install","paths":["/a.aab"]}}"#,
            "App Bundle",
        ),
        (r#"{"do":"control","control":{"action":"dance"}}"#, "dance"),
        (r#"{"do":"open","url":"nothing"}"#, "scheme"),
        ("[", "request"),
    ] {
        let refusal = rig.phone.command(request, 0.0).unwrap_err();
        assert!(refusal.contains(words), "{refusal}");
    }
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
        for page in ["settings", "controls", "notes", "photos", "colours", "busy"] {
            rig.open(page);
        }
        rig.control(r#"{"action":"recents"}"#);
        rig.settle();
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[test]
fn a_storm_of_fingers_keys_and_controls_never_breaks_it_and_what_it_draws_stays_right() {
    const KEYS: [&str; 18] = [
        "a",
        "é",
        "日",
        "🙂",
        "\u{301}",
        " ",
        "Enter",
        "Backspace",
        "Delete",
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
        "Home",
        "End",
        "Shift",
        "Control",
        "Escape",
    ];
    const CONTROLS: [&str; 14] = [
        r#"{"action":"home"}"#,
        r#"{"action":"back"}"#,
        r#"{"action":"recents"}"#,
        r#"{"action":"lock"}"#,
        r#"{"action":"wake"}"#,
        r#"{"action":"rotate","turn":"left"}"#,
        r#"{"action":"rotate","to":"upright"}"#,
        r#"{"action":"appearance","to":"dark"}"#,
        r#"{"action":"text_size","to":"larger"}"#,
        r#"{"action":"text_size","to":"smaller"}"#,
        r#"{"action":"status_bar","to":"clean"}"#,
        r#"{"action":"battery","to":{"level":3,"charging":true}}"#,
        r#"{"action":"install","paths":["/a/日本.apk"]}"#,
        r#"{"action":"reboot"}"#,
    ];
    const PAGES: [&str; 6] = ["settings", "controls", "notes", "photos", "colours", "busy"];
    for (model, seed) in [("Test foldable", 3), ("200x333", 1), ("333x200", 2)] {
        let mut dice = Dice(seed);
        let mut rig = Rig::new(model);
        let sensor = rig.phone.state.model.touch_panel();
        for _ in 0..1_000 {
            match dice.roll(12) {
                0..=4 => {
                    let contacts: Vec<Contact> = (0..dice.roll(4) as u8)
                        .map(|id| Contact {
                            id,
                            x: dice.roll(sensor.0 as u64 + 100) as f32 - 50.0,
                            y: dice.roll(sensor.1 as u64 + 100) as f32 - 50.0,
                        })
                        .collect();
                    rig.phone.touch(&contacts, rig.now);
                }
                5..=7 => {
                    let key = KEYS[dice.roll(KEYS.len() as u64) as usize];
                    rig.phone.key(key, dice.roll(3) > 0, rig.now);
                }
                8 => rig.control(CONTROLS[dice.roll(CONTROLS.len() as u64) as usize]),
                9 if model == "Test foldable" && dice.roll(2) == 0 => {
                    rig.control(r#"{"action":"posture","to":"half-open"}"#);
                    rig.control(r#"{"action":"posture","to":"closed"}"#);
                }
                9 => {
                    let page = PAGES[dice.roll(6) as usize];
                    rig.run(&format!(r#"{{"do":"open","url":"bb-test://{page}"}}"#));
                }
                10 => {
                    let _ = rig
                        .phone
                        .command(r#"{"do":"compose","text":"にほん","done":false}"#, rig.now);
                }
                _ => {
                    rig.run(r#"{"do":"clipboard","text":"paste me\r\nthere"}"#);
                    rig.phone.key("Paste", true, rig.now);
                }
            }
            rig.pass(dice.roll(40) as f64);
            if dice.roll(if model == "Test foldable" { 100 } else { 4 }) == 0 {
                rig.phone.draw().unwrap();
            }
        }
        rig.phone.draw().unwrap();
        let by_parts = rig.phone.canvas.data().to_vec();
        rig.phone.drawn.clear();
        rig.phone.draw().unwrap();
        assert!(by_parts == rig.phone.canvas.data(), "{model}");
    }
}
