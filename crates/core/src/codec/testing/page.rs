//! A tall page drawn from a seed: text, cards, settings rows, photographs, a grid, code. What screens are made of, with no
//! file and no licence to carry.

use super::Random;

/// Packed RGB888 rows.
#[derive(Clone)]
pub struct Rgb {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// Three bytes a pixel, no row padding.
    pub data: Vec<u8>,
}

type Colour = [u8; 3];

/// Cells across and down of a glyph's mask.
const GLYPH: usize = 8;

impl Rgb {
    /// One colour.
    #[must_use]
    pub fn filled(width: usize, height: usize, colour: Colour) -> Self {
        Self {
            width,
            height,
            data: colour.repeat(width * height),
        }
    }

    /// Lays `colour` over a pixel, 255 hiding what was there; outside is ignored.
    pub fn blend(&mut self, x: usize, y: usize, colour: Colour, alpha: u8) {
        if x >= self.width || y >= self.height {
            return;
        }
        let at = (y * self.width + x) * 3;
        for (under, over) in self.data[at..at + 3].iter_mut().zip(colour) {
            let mixed =
                u32::from(*under) * (255 - u32::from(alpha)) + u32::from(over) * u32::from(alpha);
            *under = u8::try_from(mixed / 255).unwrap_or(255);
        }
    }

    /// A rectangle with corners of `radius`, its edge smoothed.
    pub fn card(
        &mut self,
        left: usize,
        top: usize,
        width: usize,
        height: usize,
        radius: usize,
        colour: Colour,
    ) {
        let reach = radius as f32;
        for y in 0..height {
            for x in 0..width {
                let inset = |at: usize, size: usize| {
                    let near = at.min(size - 1 - at);
                    (reach - near as f32 - 0.5).max(0.0)
                };
                let (across, down) = (inset(x, width), inset(y, height));
                let outside = across.hypot(down) - reach + 0.5;
                let alpha = if across == 0.0 || down == 0.0 {
                    1.0
                } else {
                    1.0 - outside.clamp(0.0, 1.0)
                };
                self.blend(left + x, top + y, colour, (alpha * 255.0) as u8);
            }
        }
    }
}

/// Draws pages.
pub struct Painter {
    random: Random,
    glyphs: Vec<[[u8; GLYPH]; GLYPH]>,
    /// Pixels for each density-independent one.
    scale: f32,
}

impl Painter {
    /// The painter of this seed, for a screen of this width in pixels.
    #[must_use]
    pub fn new(seed: u64, width: usize) -> Self {
        let mut random = Random::new(seed);
        let glyphs = (0..48).map(|_| glyph(&mut random)).collect();
        Self {
            random,
            glyphs,
            scale: if width > 1600 {
                2.0
            } else {
                width as f32 / 411.0
            },
        }
    }

    fn px(&self, dp: f32) -> usize {
        ((dp * self.scale) as usize).max(1)
    }

    fn colour(&mut self, low: usize, high: usize) -> Colour {
        [0; 3].map(|_: u8| u8::try_from(low + self.random.below(high - low)).unwrap_or(255))
    }

    /// A page of sections, light or dark.
    pub fn page(&mut self, width: usize, height: usize, dark: bool) -> Rgb {
        let (paper, ink) = if dark {
            ([18, 18, 24], [226, 226, 232])
        } else {
            ([250, 249, 246], [28, 28, 33])
        };
        let mut page = Rgb::filled(width, height, paper);
        let margin = self.px(16.0);
        let mut top = margin;
        let mut section = self.random.below(6);
        while top < height {
            top += match section % 6 {
                0 => self.feed_card(&mut page, margin, top, dark),
                1 => self.rows(&mut page, margin, top, ink),
                2 => self.article(&mut page, margin, top, ink),
                3 => self.grid(&mut page, margin, top),
                4 => self.code(&mut page, margin, top),
                _ => self.photo_section(&mut page, margin, top),
            } + margin;
            section += 1;
        }
        page
    }

    /// One line of words; gives the pixels it took across.
    pub fn line(
        &mut self,
        page: &mut Rgb,
        left: usize,
        top: usize,
        width: usize,
        size_dp: f32,
        ink: Colour,
    ) -> usize {
        let size = self.px(size_dp);
        let advance = size * 3 / 5 + 1;
        let mut x = left;
        while x + advance < left + width {
            for _ in 0..2 + self.random.below(8) {
                if x + advance >= left + width {
                    break;
                }
                let mask = self.glyphs[self.random.below(self.glyphs.len())];
                draw_glyph(page, x, top, size, &mask, ink);
                x += advance;
            }
            x += advance / 2;
        }
        x - left
    }

    fn feed_card(&mut self, page: &mut Rgb, margin: usize, top: usize, dark: bool) -> usize {
        let (width, height) = (page.width - 2 * margin, self.px(330.0));
        let inner = self.px(14.0);
        page.card(
            margin,
            top,
            width,
            height,
            self.px(14.0),
            if dark { [38, 38, 48] } else { [255, 255, 255] },
        );
        self.photo(page, margin, top, width, self.px(200.0));
        let ink = if dark { [232, 232, 236] } else { [20, 20, 24] };
        self.line(
            page,
            margin + inner,
            top + self.px(214.0),
            width * 3 / 4,
            20.0,
            ink,
        );
        for line in 0..3 {
            let y = top + self.px(248.0 + 22.0 * line as f32);
            self.line(
                page,
                margin + inner,
                y,
                width - 2 * inner,
                14.0,
                [110, 110, 120],
            );
        }
        height
    }

    fn rows(&mut self, page: &mut Rgb, margin: usize, top: usize, ink: Colour) -> usize {
        let (row, icon) = (self.px(64.0), self.px(36.0));
        let count = 5 + self.random.below(4);
        for at in 0..count {
            let y = top + at * row;
            let colour = self.colour(40, 230);
            page.card(margin, y + self.px(12.0), icon, icon, icon / 2, colour);
            let text = margin + icon + self.px(16.0);
            let words = 90.0 + self.random.below(120) as f32;
            let words = self.px(words);
            self.line(page, text, y + self.px(12.0), words, 16.0, ink);
            self.line(
                page,
                text,
                y + self.px(36.0),
                page.width - text - self.px(90.0),
                13.0,
                [128, 128, 134],
            );
            let (track, thumb) = (page.width - margin - self.px(48.0), self.px(22.0));
            page.card(
                track,
                y + self.px(20.0),
                self.px(46.0),
                self.px(24.0),
                self.px(12.0),
                [90, 130, 220],
            );
            page.card(
                track + self.px(22.0),
                y + self.px(21.0),
                thumb,
                thumb,
                thumb / 2,
                [255, 255, 255],
            );
            for x in text..page.width - margin {
                page.blend(x, y + row - 1, ink, 24);
            }
        }
        count * row
    }

    fn article(&mut self, page: &mut Rgb, margin: usize, top: usize, ink: Colour) -> usize {
        let (lines, step) = (10 + self.random.below(8), self.px(24.0));
        let width = page.width - 2 * margin;
        self.line(page, margin, top, width * 2 / 3, 26.0, ink);
        let first = top + self.px(44.0);
        for line in 0..lines {
            let end = if line % 6 == 5 { width / 2 } else { width };
            self.line(page, margin, first + line * step, end, 16.0, ink);
        }
        self.px(44.0) + lines * step
    }

    fn grid(&mut self, page: &mut Rgb, margin: usize, top: usize) -> usize {
        let gap = self.px(8.0);
        let across = (page.width / self.px(120.0)).max(2);
        let side = (page.width - 2 * margin) / across - gap;
        for at in 0..across * 3 {
            let (x, y) = (
                margin + at % across * (side + gap),
                top + at / across * (side + gap),
            );
            self.photo(page, x, y, side, side);
        }
        3 * (side + gap)
    }

    fn code(&mut self, page: &mut Rgb, margin: usize, top: usize) -> usize {
        let (lines, step) = (12, self.px(19.0));
        let height = lines * step + self.px(24.0);
        page.card(
            margin,
            top,
            page.width - 2 * margin,
            height,
            self.px(8.0),
            [30, 32, 40],
        );
        for line in 0..lines {
            let mut x = margin + self.px(12.0) + self.px(16.0) * self.random.below(4);
            for _ in 0..2 + self.random.below(3) {
                let ink = self.colour(120, 250);
                let words = 40.0 + self.random.below(60) as f32;
                let words = self.px(words);
                x += self.line(page, x, top + self.px(12.0) + line * step, words, 13.0, ink);
            }
        }
        height
    }

    fn photo_section(&mut self, page: &mut Rgb, margin: usize, top: usize) -> usize {
        let height = self.px(260.0);
        self.photo(page, margin, top, page.width - 2 * margin, height);
        height
    }

    /// Three octaves of smooth noise between colours, with grain: as hard to code as a photograph.
    pub fn photo(&mut self, page: &mut Rgb, left: usize, top: usize, width: usize, height: usize) {
        let (dark, light) = (self.colour(10, 120), self.colour(110, 250));
        let seed = self.random.next_u64();
        let cell = self.px(48.0).max(4) as f32;
        for y in 0..height.min(page.height.saturating_sub(top)) {
            for x in 0..width {
                let mut value = 0.0;
                let (mut size, mut share) = (cell, 0.58);
                for octave in 0..3 {
                    value +=
                        share * smooth(seed.wrapping_add(octave), x as f32 / size, y as f32 / size);
                    size /= 3.7;
                    share *= 0.5;
                }
                let grain = (lattice(seed, x as u64, y as u64) - 0.5) * 0.03;
                let mix = (value + grain).clamp(0.0, 1.0);
                let colour = [0, 1, 2].map(|channel| {
                    let (low, high) = (f32::from(dark[channel]), f32::from(light[channel]));
                    (low + (high - low) * mix) as u8
                });
                page.blend(left + x, top + y, colour, 255);
            }
        }
    }
}

/// A mask of a few strokes.
fn glyph(random: &mut Random) -> [[u8; GLYPH]; GLYPH] {
    let mut mask = [[0; GLYPH]; GLYPH];
    for _ in 0..2 + random.below(3) {
        let (kind, place) = (random.below(4), random.below(GLYPH - 2));
        for step in 1..GLYPH - 1 {
            let (x, y) = match kind {
                0 => (place, step),
                1 => (step, place),
                2 => (step, (place + step) % GLYPH),
                _ => (step, GLYPH - 1 - (place + step) % GLYPH),
            };
            mask[y][x.min(GLYPH - 2)] = 255;
        }
    }
    mask
}

/// Draws a mask enlarged with smoothing, so that edges are grey as those of real text.
fn draw_glyph(
    page: &mut Rgb,
    left: usize,
    top: usize,
    size: usize,
    mask: &[[u8; GLYPH]; GLYPH],
    ink: Colour,
) {
    let width = size * 3 / 5;
    let cell = |x: usize, y: usize| f32::from(mask[y.min(GLYPH - 1)][x.min(GLYPH - 1)]);
    for y in 0..size {
        for x in 0..width {
            let (fx, fy) = (
                x as f32 * GLYPH as f32 / width as f32,
                y as f32 * GLYPH as f32 / size as f32,
            );
            let (cx, cy) = (fx as usize, fy as usize);
            let (tx, ty) = (fx.fract(), fy.fract());
            let upper = cell(cx, cy) * (1.0 - tx) + cell(cx + 1, cy) * tx;
            let lower = cell(cx, cy + 1) * (1.0 - tx) + cell(cx + 1, cy + 1) * tx;
            let alpha = ((upper * (1.0 - ty) + lower * ty - 90.0) * 3.0).clamp(0.0, 255.0);
            if alpha > 0.0 {
                page.blend(left + x, top + y, ink, alpha as u8);
            }
        }
    }
}

/// A number from 0 to 1 for a lattice point, from integers alone.
fn lattice(seed: u64, x: u64, y: u64) -> f32 {
    let mut mixed =
        seed ^ x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 40) as f32 / (1_u64 << 24) as f32
}

fn smooth(seed: u64, x: f32, y: f32) -> f32 {
    let (cx, cy) = (x as u64, y as u64);
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (ease(x.fract()), ease(y.fract()));
    let upper = lattice(seed, cx, cy) * (1.0 - tx) + lattice(seed, cx + 1, cy) * tx;
    let lower = lattice(seed, cx, cy + 1) * (1.0 - tx) + lattice(seed, cx + 1, cy + 1) * tx;
    upper * (1.0 - ty) + lower * ty
}
