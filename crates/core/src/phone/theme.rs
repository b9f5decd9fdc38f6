//! The colours of light and dark.

use super::canvas::Color;

/// One set of colours.
pub struct Theme {
    /// Behind everything.
    pub back: Color,
    /// Cards and bars on it.
    pub card: Color,
    /// Fields and quiet buttons on a card.
    pub well: Color,
    /// Text.
    pub ink: Color,
    /// Lesser text.
    pub faint: Color,
    /// Lines.
    pub line: Color,
    /// What is on, or asks to be pressed.
    pub accent: Color,
    /// Text on the accent.
    pub on_accent: Color,
    /// Selected text's ground.
    pub select: Color,
    /// A switch's track when off.
    pub track: Color,
}

/// Light.
pub const LIGHT: Theme = Theme {
    back: Color::hex(0xF2F3FA),
    card: Color::hex(0xFFFFFF),
    well: Color::hex(0xE9EBF5),
    ink: Color::hex(0x1A1B21),
    faint: Color::hex(0x5D5F6B),
    line: Color::hex(0xD9DBE6),
    accent: Color::hex(0x3357D6),
    on_accent: Color::hex(0xFFFFFF),
    select: Color::hex(0xC3D1FF),
    track: Color::hex(0xD3D5E1),
};

/// Dark.
pub const DARK: Theme = Theme {
    back: Color::hex(0x101116),
    card: Color::hex(0x1D1F27),
    well: Color::hex(0x2A2C36),
    ink: Color::hex(0xE6E6EE),
    faint: Color::hex(0xA4A6B3),
    line: Color::hex(0x31343F),
    accent: Color::hex(0xA9BDFF),
    on_accent: Color::hex(0x0F2366),
    select: Color::hex(0x364885),
    track: Color::hex(0x454855),
};

/// The tiles' colours, one after another.
pub const TILES: [u32; 8] = [
    0x3D6BF0, 0x1F9D6B, 0xE06A2B, 0x8A55D9, 0xD9486E, 0x168FB8, 0xB8860F, 0x5B677D,
];
