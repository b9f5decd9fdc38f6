//! Colours and what comes between two of them.

/// A colour with straight (not premultiplied) alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// 255 is opaque.
    pub a: u8,
}

impl Color {
    /// From 0xRRGGBB, opaque.
    #[must_use]
    pub const fn hex(rgb: u32) -> Self {
        Self {
            r: (rgb >> 16) as u8,
            g: (rgb >> 8) as u8,
            b: rgb as u8,
            a: 255,
        }
    }

    /// The same colour at this opacity, 0 to 1, on top of its own.
    #[must_use]
    pub fn alpha(self, opacity: f32) -> Self {
        Self {
            a: (f32::from(self.a) * opacity.clamp(0.0, 1.0) + 0.5) as u8,
            ..self
        }
    }

    /// Between this (0) and the other (1).
    #[must_use]
    pub fn mix(self, other: Self, t: f32) -> Self {
        let t = t.clamp(0.0, 1.0);
        let lerp = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * t + 0.5) as u8;
        Self {
            r: lerp(self.r, other.r),
            g: lerp(self.g, other.g),
            b: lerp(self.b, other.b),
            a: lerp(self.a, other.a),
        }
    }
}
