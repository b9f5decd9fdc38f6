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
    back: Color::hex(0xF2_F3_FA),
    card: Color::hex(0xFF_FF_FF),
    well: Color::hex(0xE9_EB_F5),
    ink: Color::hex(0x1A_1B_21),
    faint: Color::hex(0x5D_5F_6B),
    line: Color::hex(0xD9_DB_E6),
    accent: Color::hex(0x33_57_D6),
    on_accent: Color::hex(0xFF_FF_FF),
    select: Color::hex(0xC3_D1_FF),
    track: Color::hex(0xD3_D5_E1),
};

/// Dark.
pub const DARK: Theme = Theme {
    back: Color::hex(0x10_11_16),
    card: Color::hex(0x1D_1F_27),
    well: Color::hex(0x2A_2C_36),
    ink: Color::hex(0xE6_E6_EE),
    faint: Color::hex(0xA4_A6_B3),
    line: Color::hex(0x31_34_3F),
    accent: Color::hex(0xA9_BD_FF),
    on_accent: Color::hex(0x0F_23_66),
    select: Color::hex(0x36_48_85),
    track: Color::hex(0x45_48_55),
};

/// The tiles' colours, one after another.
pub const TILES: [u32; 8] = [
    0x3D_6B_F0, 0x1F_9D_6B, 0xE0_6A_2B, 0x8A_55_D9, 0xD9_48_6E, 0x16_8F_B8, 0xB8_86_0F, 0x5B_67_7D,
];
