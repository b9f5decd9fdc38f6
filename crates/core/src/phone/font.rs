//! Text: measured and drawn from the embedded faces, each glyph rasterised once per size and quarter-pixel step.

use std::collections::HashMap;

use ab_glyph::{Font, FontRef, GlyphId, PxScale, point};

use super::canvas::{Canvas, Color, Mask};

/// The two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// Roboto Regular.
    Regular,
    /// Roboto Medium.
    Medium,
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Pixels an em.
    pub size: f32,
    /// The face.
    pub weight: Weight,
    /// The ink.
    pub color: Color,
}

/// A glyph's picture and where it hangs from the pen.
struct Glyph {
    mask: Mask,
    dx: i32,
    dy: i32,
}

/// Sub-pixel places a glyph is kept at.
const STEPS: f32 = 4.0;
/// Glyph pictures kept; past it the cache starts again, so that odd sizes cannot grow it for ever.
const CACHE_LIMIT: usize = 6_000;

/// The faces with their caches.
pub struct Fonts {
    regular: FontRef<'static>,
    medium: FontRef<'static>,
    /// What the other two lack.
    emoji: FontRef<'static>,
    glyphs: HashMap<(Weight, char, u16, u8), Glyph>,
    advances: HashMap<(Weight, char), f32>,
    ascii: [[f32; 128]; 2],
}

/// Marks that take no room of their own where there is no shaping: joiners, variation selectors, combining marks.
fn takes_no_room(c: char) -> bool {
    matches!(c as u32, 0x200B..=0x200F | 0xFE00..=0xFE0F | 0x1F3FB..=0x1F3FF | 0xE0020..=0xE007F | 0x0300..=0x036F)
}

impl Fonts {
    /// Loads the embedded faces.
    ///
    /// # Panics
    /// Never for the faces shipped with the crate.
    #[must_use]
    pub fn new() -> Self {
        let load = |bytes| FontRef::try_from_slice(bytes).expect("the embedded face is whole");
        let mut fonts = Self {
            regular: load(include_bytes!("fonts/Roboto-Regular.ttf")),
            medium: load(include_bytes!("fonts/Roboto-Medium.ttf")),
            emoji: load(include_bytes!("fonts/NotoEmoji-Regular.ttf")),
            glyphs: HashMap::new(),
            advances: HashMap::new(),
            ascii: [[0.0; 128]; 2],
        };
        for (row, weight) in [Weight::Regular, Weight::Medium].into_iter().enumerate() {
            for code in 32..127u8 {
                fonts.ascii[row][code as usize] = fonts.unscaled(weight, code as char);
            }
        }
        fonts
    }

    /// The face that has the character, and its picture there.
    fn find(&self, c: char, weight: Weight) -> Option<(&FontRef<'static>, GlyphId)> {
        let letters = match weight {
            Weight::Regular => &self.regular,
            Weight::Medium => &self.medium,
        };
        [letters, &self.emoji]
            .into_iter()
            .map(|face| (face, face.glyph_id(c)))
            .find(|(_, id)| *id != GlyphId(0))
    }

    /// Is there a picture for this character? Others are drawn as boxes.
    #[must_use]
    pub fn has(&self, c: char) -> bool {
        self.find(c, Weight::Regular).is_some()
    }

    /// The advance for one pixel of text size.
    fn unscaled(&self, weight: Weight, c: char) -> f32 {
        if takes_no_room(c) {
            return 0.0;
        }
        let Some((face, id)) = self.find(c, weight) else {
            return 1.0;
        };
        face.h_advance_unscaled(id) / face.units_per_em().unwrap_or(2048.0)
    }

    /// How far the pen moves for this character, in pixels.
    pub fn advance(&mut self, c: char, size: f32, weight: Weight) -> f32 {
        let code = c as usize;
        if code < 128 {
            return self.ascii[usize::from(weight == Weight::Medium)][code] * size;
        }
        if let Some(known) = self.advances.get(&(weight, c)) {
            return known * size;
        }
        let advance = self.unscaled(weight, c);
        if self.advances.len() > CACHE_LIMIT {
            self.advances.clear();
        }
        self.advances.insert((weight, c), advance);
        advance * size
    }

    /// A line's width in pixels.
    pub fn width(&mut self, text: &str, size: f32, weight: Weight) -> f32 {
        text.chars().map(|c| self.advance(c, size, weight)).sum()
    }

    /// The text, cut with an ellipsis where it is wider than `max` pixels.
    pub fn fit(&mut self, text: &str, size: f32, weight: Weight, max: f32) -> String {
        if self.width(text, size, weight) <= max {
            return text.to_owned();
        }
        let room = max - self.advance('…', size, weight);
        let (mut used, mut cut) = (0.0, 0);
        for (at, c) in text.char_indices() {
            used += self.advance(c, size, weight);
            if used > room {
                break;
            }
            cut = at + c.len_utf8();
        }
        format!("{}…", text[..cut].trim_end())
    }

    /// Draws a line with its pen at `x` on the baseline.
    pub fn draw(&mut self, canvas: &mut Canvas, x: f32, baseline: i32, text: &str, style: Style) {
        let Style {
            size,
            weight,
            color,
        } = style;
        let mut pen = x;
        for c in text.chars() {
            let advance = self.advance(c, size, weight);
            if c != ' ' && !c.is_control() && !takes_no_room(c) {
                let cell = pen.floor();
                let step = ((pen - cell) * STEPS) as u8;
                let key = (weight, c, (size * 4.0).round() as u16, step);
                if !self.glyphs.contains_key(&key) {
                    if self.glyphs.len() > CACHE_LIMIT {
                        self.glyphs.clear();
                    }
                    let glyph = self.rasterise(c, size, weight, f32::from(step) / STEPS);
                    self.glyphs.insert(key, glyph);
                }
                let glyph = &self.glyphs[&key];
                canvas.mask(
                    cell as i32 + glyph.dx,
                    baseline + glyph.dy,
                    &glyph.mask,
                    color,
                );
            }
            pen += advance;
        }
    }

    fn rasterise(&self, c: char, size: f32, weight: Weight, shift: f32) -> Glyph {
        let Some((face, id)) = self.find(c, weight) else {
            return missing(size);
        };
        // PxScale counts ascent to descent; text sizes count the em.
        let scale = size * face.height_unscaled() / face.units_per_em().unwrap_or(2048.0);
        let glyph = id.with_scale_and_position(PxScale::from(scale), point(shift, 0.0));
        let Some(outline) = face.outline_glyph(glyph) else {
            return Glyph {
                mask: Mask::default(),
                dx: 0,
                dy: 0,
            };
        };
        let bounds = outline.px_bounds();
        let (width, height) = (
            bounds.width().ceil() as usize,
            bounds.height().ceil() as usize,
        );
        let mut coverage = vec![0; width * height];
        outline.draw(|x, y, c| {
            if let Some(cell) = coverage.get_mut(y as usize * width + x as usize) {
                *cell = (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
            }
        });
        Glyph {
            mask: Mask {
                width,
                height,
                coverage,
            },
            dx: bounds.min.x as i32,
            dy: bounds.min.y as i32,
        }
    }
}

impl Default for Fonts {
    fn default() -> Self {
        Self::new()
    }
}

/// A box an em wide for a character without a picture: the eye sees that something is there, and how many.
fn missing(size: f32) -> Glyph {
    let side = (size * 0.82).round().max(4.0) as usize;
    let line = (size / 14.0).round().max(1.0) as usize;
    let mut coverage = vec![0; side * side];
    for y in 0..side {
        for x in 0..side {
            let edge = x < line || y < line || x >= side - line || y >= side - line;
            coverage[y * side + x] = if edge { 255 } else { 40 };
        }
    }
    Glyph {
        mask: Mask {
            width: side,
            height: side,
            coverage,
        },
        dx: ((size - side as f32) / 2.0) as i32,
        dy: -(size * 0.78).round() as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up_and_scale() {
        let mut fonts = Fonts::new();
        let one = fonts.width("Settings", 20.0, Weight::Regular);
        let two = fonts.width("Settings", 40.0, Weight::Regular);
        assert!(one > 60.0 && one < 90.0, "{one}");
        assert!((two - one * 2.0).abs() < 0.01);
    }

    #[test]
    fn a_character_without_a_picture_takes_an_em_and_leaves_ink() {
        let mut fonts = Fonts::new();
        assert!(!fonts.has('日'));
        assert!((fonts.advance('日', 30.0, Weight::Regular) - 30.0).abs() < f32::EPSILON);
        let mut canvas = Canvas::new(40, 40);
        let style = Style {
            size: 30.0,
            weight: Weight::Regular,
            color: Color::hex(0xFFFFFF),
        };
        fonts.draw(&mut canvas, 4.0, 32, "日", style);
        assert!(canvas.data().contains(&255));
    }

    #[test]
    fn an_emoji_is_a_picture_and_its_variation_takes_no_room() {
        let mut fonts = Fonts::new();
        assert!(fonts.has('😀') && fonts.has('❤'));
        let plain = fonts.width("❤", 30.0, Weight::Medium);
        assert!((fonts.width("❤\u{FE0F}", 30.0, Weight::Medium) - plain).abs() < f32::EPSILON);
    }

    #[test]
    fn text_too_wide_ends_in_an_ellipsis_that_fits() {
        let mut fonts = Fonts::new();
        let cut = fonts.fit("Connected devices and more", 20.0, Weight::Regular, 100.0);
        assert!(cut.ends_with('…'));
        assert!(fonts.width(&cut, 20.0, Weight::Regular) <= 100.0);
    }
}
