//! What a phone keeps over a reboot and an end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::edit::Editor;
use super::geom::Orientation;
use super::model::Posture;

/// Android's seven steps of text size.
pub const FONT_SCALES: [f64; 7] = [0.85, 1.0, 1.15, 1.3, 1.5, 1.8, 2.0];
/// The step of size 1.
pub const FONT_DEFAULT: usize = 1;

/// A place on earth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// Degrees.
    pub latitude: f64,
    /// Degrees.
    pub longitude: f64,
}

/// Where a phone thinks it is when nobody says.
pub const DEFAULT_LOCATION: Location = Location {
    latitude: 37.422,
    longitude: -122.084,
};

/// The battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Battery {
    /// 0 to 100.
    pub level: u8,
    /// On a charger.
    pub charging: bool,
}

/// A battery that nobody has set.
pub const DEFAULT_BATTERY: Battery = Battery {
    level: 82,
    charging: false,
};

/// Network presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Wi-Fi and data.
    Online,
    /// Airplane mode.
    Offline,
    /// Wi-Fi, shaped.
    Slow,
}

/// An app that was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledApp {
    /// The file's name without its ending.
    pub name: String,
    /// Where it came from.
    pub paths: Vec<String>,
}

/// What outlives a reboot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Saved {
    /// Dark theme.
    pub dark: bool,
    /// Index into [`FONT_SCALES`].
    pub font_step: usize,
    /// Where it is.
    pub location: Location,
    /// The status bar is tidied for pictures.
    pub clean_bar: bool,
    /// The battery.
    pub battery: Battery,
    /// The network.
    pub network: Network,
    /// How it is held.
    pub orientation: Orientation,
    /// How far open.
    pub posture: Posture,
    /// Installed apps.
    pub apps: Vec<InstalledApp>,
    /// Switches by name.
    pub switches: BTreeMap<String, bool>,
    /// Sliders by name, 0 to 1.
    pub sliders: BTreeMap<String, f64>,
    /// Text fields by name.
    pub fields: BTreeMap<String, Editor>,
}

impl Default for Saved {
    fn default() -> Self {
        Self {
            dark: false,
            font_step: FONT_DEFAULT,
            location: DEFAULT_LOCATION,
            clean_bar: false,
            battery: DEFAULT_BATTERY,
            network: Network::Online,
            orientation: Orientation::Upright,
            posture: Posture::Closed,
            apps: Vec::new(),
            switches: BTreeMap::new(),
            sliders: BTreeMap::new(),
            fields: BTreeMap::new(),
        }
    }
}
