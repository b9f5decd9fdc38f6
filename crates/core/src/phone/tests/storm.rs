//! Anything at all, in any order.

use super::*;

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
    const PAGES: [&str; 7] = [
        "paint", "settings", "controls", "notes", "photos", "colours", "busy",
    ];
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
                    let page = PAGES[dice.roll(7) as usize];
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
