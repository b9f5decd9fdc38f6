//! What a driver asks of the phone, as JSON, and the answers. Refusals are in words.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Phone;
use super::geom::Orientation;
use super::model::Posture;
use super::saved::{
    Battery, DEFAULT_BATTERY, DEFAULT_LOCATION, FONT_DEFAULT, FONT_SCALES, InstalledApp, Location,
    Network, Saved,
};
use super::state::{Page, State};

/// One request.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Command {
    /// One of note 063's controls.
    Control { control: Control },
    /// Opens an address.
    Open { url: String },
    /// Sets the clipboard, or reads it.
    Clipboard { text: Option<String> },
    /// Text an input method shows so far; `done`: it stays.
    Compose { text: String, done: bool },
    /// What outlives a reboot.
    Save,
    /// Puts back what was saved.
    Load { saved: Box<Saved> },
    /// What happened since the last time.
    Events,
    /// The busy page's seed.
    Seed { seed: u32 },
    /// Lifts every finger and key.
    Lift,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TextSize {
    Scale(f64),
    Step(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Turn {
    Left,
    Right,
}

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
enum Control {
    Home,
    Back,
    Recents,
    Lock,
    Wake,
    Rotate {
        to: Option<Orientation>,
        turn: Option<Turn>,
    },
    Posture {
        to: Posture,
    },
    Appearance {
        to: String,
    },
    TextSize {
        to: TextSize,
    },
    Location {
        to: Option<Location>,
    },
    StatusBar {
        to: String,
    },
    Battery {
        to: Option<Battery>,
    },
    Network {
        to: Network,
    },
    Install {
        paths: Vec<String>,
    },
    Reboot,
}

impl Phone {
    /// One request as JSON; answers JSON.
    ///
    /// # Errors
    /// In words, when the request is not understood or the phone cannot do it.
    pub fn command(&mut self, json: &str, now: f64) -> Result<String, String> {
        let command = serde_json::from_str(json)
            .map_err(|error| format!("The phone does not know this request: {error}."))?;
        let answer = self.obey(command, now)?;
        self.rebuild(now);
        self.show_caret(now);
        Ok(answer.to_string())
    }

    fn obey(&mut self, command: Command, now: f64) -> Result<Value, String> {
        match command {
            Command::Control { control } => return self.control(control, now),
            Command::Open { url } => self.open_url(&url, now)?,
            Command::Clipboard { text: Some(text) } => self.state.clipboard = text,
            Command::Clipboard { text: None } => {
                return Ok(json!({ "text": self.state.clipboard }));
            }
            Command::Compose { text, done } => {
                let Some(name) = self.state.focus.clone() else {
                    return Err("No field has the caret.".to_owned());
                };
                let field = self.state.field(&name);
                field.compose(&text, name == "note");
                if done {
                    field.settle();
                }
                self.state.caret_since = now;
                self.state.changed();
            }
            Command::Save => {
                return serde_json::to_value(&self.state.saved).map_err(|error| error.to_string());
            }
            Command::Load { saved } => {
                self.state.saved = *saved;
                self.state.saved.font_step = self.state.saved.font_step.min(FONT_SCALES.len() - 1);
                for editor in self.state.saved.fields.values_mut() {
                    // A caret from an edited file may lie outside its text.
                    let end = editor.caret();
                    editor.put(end, false);
                }
            }
            Command::Events => {
                return serde_json::to_value(std::mem::take(&mut self.state.events))
                    .map_err(|error| error.to_string());
            }
            Command::Seed { seed } => self.state.seed = seed,
            Command::Lift => {
                self.touch.cancel(&mut self.state, now);
                self.touch = super::touch::Touch::default();
                self.keys.clear();
            }
        }
        Ok(json!({}))
    }

    fn open_url(&mut self, url: &str, now: f64) -> Result<(), String> {
        let Some((scheme, rest)) = url.split_once(':').filter(|(scheme, _)| !scheme.is_empty())
        else {
            return Err(format!(
                "{url} is not an address: it has no scheme, such as https."
            ));
        };
        let page = match (scheme, rest.trim_start_matches('/')) {
            ("bb-test", "colours") => Page::Colours,
            ("bb-test", "photos") => Page::Photos,
            ("bb-test", "busy") => Page::Busy,
            ("bb-test", "paint") => Page::Paint,
            ("bb-test", "notes") => Page::Notes,
            ("bb-test", "controls") => Page::Controls,
            ("bb-test", "settings") => Page::Settings,
            ("bb-test", other) => {
                return Err(format!(
                    "The test phone has no page {other}. It has colours, paint, photos, busy, notes, controls, settings."
                ));
            }
            _ => Page::Browser,
        };
        url.clone_into(&mut self.state.url);
        self.state.launch(page, now);
        Ok(())
    }

    fn control(&mut self, control: Control, now: f64) -> Result<Value, String> {
        let state = &mut self.state;
        match control {
            Control::Home => state.home(now),
            Control::Back => state.back(now),
            Control::Recents => state.show_recents(now),
            Control::Lock => self.sleep(now),
            Control::Wake => state.awake = true,
            Control::Rotate { to, turn } => {
                let held = state.saved.orientation;
                let to = match (to, turn) {
                    (Some(to), None) => to,
                    (None, Some(Turn::Left)) => held.left(),
                    (None, Some(Turn::Right)) => held.right(),
                    _ => return Err("A rotate names either where to or which way.".to_owned()),
                };
                if to != held {
                    state.saved.orientation = to;
                    self.screen_changed(now);
                }
            }
            Control::Posture { to } => {
                if !state.model.folds() {
                    return Err(format!("{} has no hinge.", state.model.name));
                }
                let before = state.panel();
                state.saved.posture = to;
                if state.panel() != before {
                    self.screen_changed(now);
                }
            }
            Control::Appearance { to } => match to.as_str() {
                "light" => state.saved.dark = false,
                "dark" => state.saved.dark = true,
                _ => return Err(format!("An appearance is light or dark, not {to}.")),
            },
            Control::TextSize { to } => state.saved.font_step = font_step(state, &to)?,
            Control::Location { to } => {
                let to = to.unwrap_or(DEFAULT_LOCATION);
                if to.latitude.abs() > 90.0 || to.longitude.abs() > 180.0 {
                    return Err("A latitude is -90 to 90 and a longitude -180 to 180.".to_owned());
                }
                state.saved.location = to;
            }
            Control::StatusBar { to } => match to.as_str() {
                "clean" => state.saved.clean_bar = true,
                "live" => state.saved.clean_bar = false,
                _ => return Err(format!("A status bar is clean or live, not {to}.")),
            },
            Control::Battery { to } => {
                let to = to.unwrap_or(DEFAULT_BATTERY);
                if to.level > 100 {
                    return Err("A battery's level is 0 to 100.".to_owned());
                }
                state.saved.battery = to;
            }
            Control::Network { to } => state.saved.network = to,
            Control::Install { paths } => return self.install(paths, now),
            Control::Reboot => self.reboot(now),
        }
        self.state.changed();
        Ok(json!({}))
    }

    fn install(&mut self, paths: Vec<String>, now: f64) -> Result<Value, String> {
        let Some(first) = paths.first() else {
            return Err("There is nothing to install.".to_owned());
        };
        for path in &paths {
            let lower = path.to_ascii_lowercase();
            if lower.ends_with(".aab") {
                return Err(format!(
                    "{path} is an Android App Bundle, which a device cannot install (INSTALL_PARSE_FAILED_NOT_APK). Build APKs from it, with bundletool for example, and install those."
                ));
            }
            if !lower.ends_with(".apk") {
                return Err(format!(
                    "{path} is not an APK (INSTALL_PARSE_FAILED_NOT_APK)."
                ));
            }
        }
        let file = first.rsplit('/').next().unwrap_or(first);
        let name = file.get(..file.len() - 4).unwrap_or(file).to_owned();
        let apps = &mut self.state.saved.apps;
        let app = InstalledApp {
            name: name.clone(),
            paths,
        };
        match apps.iter().position(|known| known.name == name) {
            Some(at) => apps[at] = app,
            None if apps.len() >= 24 => {
                return Err("The phone holds 24 apps; this one has no room (INSTALL_FAILED_INSUFFICIENT_STORAGE).".to_owned());
            }
            None => apps.push(app),
        }
        self.state.toast = Some((format!("{name} is installed"), now + 2_500.0));
        self.state.changed();
        Ok(json!({ "name": name }))
    }

    fn sleep(&mut self, now: f64) {
        self.state.awake = false;
        self.touch.cancel(&mut self.state, now);
        self.state.ripples.clear();
    }

    /// Everything but what is saved begins anew.
    fn reboot(&mut self, now: f64) {
        let old = &self.state;
        let mut state = State::new(old.model.clone(), old.scene, old.wall_ms);
        state.saved = old.saved.clone();
        state.seed = old.seed;
        state.rebooted = now;
        state.busy_since = now;
        self.state = state;
        self.touch = super::touch::Touch::default();
        self.keys.clear();
        self.drawn.clear();
    }

    fn screen_changed(&mut self, now: f64) {
        self.touch.cancel(&mut self.state, now);
        self.state.ripples.clear();
    }

    /// What the phone is and does now, as JSON.
    #[must_use]
    pub fn state(&self) -> String {
        let state = &self.state;
        let saved = &state.saved;
        let (width, height) = state.size();
        let (panel_w, panel_h) = state.panel();
        let screen = state.model.folds().then(|| {
            if saved.posture == Posture::Closed {
                "outer"
            } else {
                "inner"
            }
        });
        json!({
            "model": state.model.name,
            "folds": state.model.folds(),
            "regionBytes": state.model.region_bytes(),
            "awake": state.awake,
            "width": width,
            "height": height,
            "panel": { "width": panel_w, "height": panel_h },
            "orientation": saved.orientation,
            "posture": state.model.folds().then_some(saved.posture),
            "screen": screen,
            "page": format!("{:?}", state.page()).to_lowercase(),
            "focus": state.focus,
            "dialog": state.dialog,
            "scene": state.scene,
            "appearance": if saved.dark { "dark" } else { "light" },
            "fontScale": FONT_SCALES[saved.font_step],
            "location": saved.location,
            "battery": saved.battery,
            "network": saved.network,
            "statusBar": saved.clean_bar.then_some("clean"),
            "apps": saved.apps,
            "url": state.url,
            "zoom": state.photo.zoom,
            "contacts": self.touch.count(),
            "keysHeld": self.keys.held(),
        })
        .to_string()
    }
}

fn font_step(state: &State, to: &TextSize) -> Result<usize, String> {
    let now = state.saved.font_step;
    match to {
        TextSize::Scale(scale) => FONT_SCALES
            .iter()
            .position(|known| (known - scale).abs() < 1e-6)
            .ok_or_else(|| format!("Text sizes are {FONT_SCALES:?}, not {scale}.")),
        TextSize::Step(step) => match step.as_str() {
            "larger" => Ok((now + 1).min(FONT_SCALES.len() - 1)),
            "smaller" => Ok(now.saturating_sub(1)),
            "default" => Ok(FONT_DEFAULT),
            _ => Err(format!(
                "A text size is larger, smaller, default or one of {FONT_SCALES:?}, not {step}."
            )),
        },
    }
}
