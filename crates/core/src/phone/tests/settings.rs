//! Settings, controls and the phone by itself.

use super::*;

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
