//! Typing, selecting, pasting.

use super::*;

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
