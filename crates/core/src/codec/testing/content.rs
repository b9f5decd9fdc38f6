//! Sequences of frames as a phone shows them, from pages: scroll with inertia, a small change, stillness, a slide, cuts,
//! noise.

use super::Random;
use super::page::{Painter, Rgb};
use crate::frames::Picture;

/// What the screen does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// Flings that decay, then a drag back.
    Scroll,
    /// A line of text that grows, and a small square that turns.
    Small,
    /// The same frame again.
    Still,
    /// A new page slides over a dimming one, then back.
    Slide,
    /// Another page every few frames.
    Cut,
    /// Random pixels: the worst there is.
    Noise,
}

impl Motion {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Scroll,
        Self::Small,
        Self::Still,
        Self::Slide,
        Self::Cut,
        Self::Noise,
    ];

    /// In small letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scroll => "scroll",
            Self::Small => "small",
            Self::Still => "still",
            Self::Slide => "slide",
            Self::Cut => "cut",
            Self::Noise => "noise",
        }
    }
}

/// Frames of one screen.
pub struct Content {
    width: usize,
    height: usize,
    pages: Vec<Rgb>,
}

/// A frame and what row hashes would say about it.
pub struct Frame {
    /// The pixels.
    pub rgb: Rgb,
    /// Rows that the page moved since the frame before, where it scrolled.
    pub scroll: Option<i32>,
    /// Fraction of rows that changed.
    pub dirty: f32,
}

impl Content {
    /// Draws four pages from a seed.
    #[must_use]
    pub fn drawn(width: usize, height: usize, seed: u64) -> Self {
        let mut painter = Painter::new(seed, width);
        let pages = (0..4)
            .map(|at| painter.page(width, if at == 0 { height * 4 } else { height }, at == 2))
            .collect();
        Self {
            width,
            height,
            pages,
        }
    }

    /// Screens that were captured: the first `height` rows of each, and all of them under one another to scroll.
    #[must_use]
    pub fn captured(screens: Vec<Rgb>) -> Option<Self> {
        let (width, height) = screens
            .first()
            .map(|screen| (screen.width, screen.height))?;
        let mut screens: Vec<Rgb> = screens
            .into_iter()
            .filter(|screen| (screen.width, screen.height) == (width, height))
            .collect();
        let mut tall = Rgb {
            width,
            height: 0,
            data: Vec::new(),
        };
        while tall.height < height * 4 {
            let next = tall.height / height % screens.len();
            tall.data.extend_from_slice(&screens[next].data);
            tall.height += height;
        }
        while screens.len() < 3 {
            screens.push(screens[0].clone());
        }
        screens.insert(0, tall);
        Some(Self {
            width,
            height,
            pages: screens,
        })
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The first `count` frames of a motion.
    pub fn frames(&self, motion: Motion, count: usize) -> impl Iterator<Item = Frame> {
        let mut offset = 0.0_f32;
        let mut random = Random::new(7);
        (0..count).map(move |at| {
            let before = offset as usize;
            if motion == Motion::Scroll {
                offset = (offset + self.speed(at)).clamp(0.0, (self.height * 3) as f32);
            }
            let moved =
                i32::try_from(offset as usize).unwrap_or(0) - i32::try_from(before).unwrap_or(0);
            let (scroll, dirty) = match motion {
                Motion::Scroll => (
                    (moved != 0).then_some(moved),
                    if moved == 0 { 0.0 } else { 0.9 },
                ),
                Motion::Small => (None, 0.06),
                Motion::Still => (None, 0.0),
                _ => (None, 1.0),
            };
            Frame {
                rgb: self.frame(motion, at, offset as usize, &mut random),
                scroll,
                dirty,
            }
        })
    }

    /// Rows a frame: three flings down that decay, then one back.
    fn speed(&self, at: usize) -> f32 {
        let first = self.height as f32 * 0.055;
        let decayed = first * 0.93_f32.powi(i32::try_from(at % 24).unwrap_or(0));
        if at % 96 < 72 {
            decayed
        } else {
            -decayed * 1.5
        }
    }

    fn frame(&self, motion: Motion, at: usize, offset: usize, random: &mut Random) -> Rgb {
        let mut frame = self.window(0, offset);
        match motion {
            Motion::Scroll => self.bars(&mut frame),
            Motion::Still => {}
            Motion::Small => {
                let unit = self.width / 40;
                let (strip, top) = ((at * unit / 2) % (self.width / 2), self.height / 2);
                frame.card(
                    unit,
                    top,
                    self.width - 2 * unit,
                    3 * unit,
                    unit,
                    [255, 255, 255],
                );
                let mut painter = Painter::new(5, self.width);
                painter.line(
                    &mut frame,
                    2 * unit,
                    top + unit,
                    strip + unit,
                    16.0,
                    [20, 20, 24],
                );
                let turn = u8::try_from(at * 16 % 256).unwrap_or(0);
                let inset = at % 8 * unit / 8;
                let left = self.width - 4 * unit + inset;
                frame.card(
                    left,
                    top + inset,
                    2 * unit,
                    2 * unit,
                    unit / 2,
                    [turn, 120, 255 - turn],
                );
            }
            Motion::Slide => self.slide(&mut frame, at),
            Motion::Cut => {
                let page = at / 8 % self.pages.len();
                frame = self.window(page, if page == 0 { at * 37 % self.height } else { 0 });
            }
            Motion::Noise => {
                for pixels in frame.data.chunks_mut(8) {
                    pixels.copy_from_slice(&random.next_u64().to_le_bytes()[..pixels.len()]);
                }
            }
        }
        frame
    }

    /// A screen's worth of a page, from a row on.
    fn window(&self, page: usize, offset: usize) -> Rgb {
        let page = &self.pages[page];
        let top = offset.min(page.height - self.height);
        let row = self.width * 3;
        let data = page.data[top * row..(top + self.height) * row].to_vec();
        Rgb {
            width: self.width,
            height: self.height,
            data,
        }
    }

    /// Bars at the top and bottom that do not scroll.
    fn bars(&self, frame: &mut Rgb) {
        let (row, top, bottom) = (self.width * 3, self.height / 40, self.height / 24);
        frame.data[..top * row].copy_from_slice(&self.pages[1].data[..top * row]);
        let from = (self.height - bottom) * row;
        frame.data[from..].fill(244);
    }

    /// One second there, half a second of rest, one second back.
    fn slide(&self, frame: &mut Rgb, at: usize) {
        let phase = at % 48;
        let progress = match phase {
            0..12 => phase as f32 / 12.0,
            12..24 => 1.0,
            24..36 => 1.0 - (phase - 24) as f32 / 12.0,
            _ => 0.0,
        };
        let eased = 1.0 - (1.0 - progress) * (1.0 - progress);
        let edge = ((1.0 - eased) * self.width as f32) as usize;
        let dim = 256 - (eased * 100.0) as u32;
        let over = self.window(1 + at / 48 % (self.pages.len() - 1), 0);
        for (row, under) in frame.data.chunks_mut(self.width * 3).enumerate() {
            for byte in &mut under[..edge * 3] {
                *byte = u8::try_from(u32::from(*byte) * dim / 256).unwrap_or(255);
            }
            let source = &over.data[row * self.width * 3..(row + 1) * self.width * 3];
            under[edge * 3..].copy_from_slice(&source[..(self.width - edge) * 3]);
        }
    }
}

/// BT.709 limited range in integers, chroma the mean of four pixels: for tests, where the fast one is what is tested.
#[must_use]
pub fn to_picture(rgb: &Rgb) -> Picture {
    let mut picture = Picture::new(rgb.width, rgb.height);
    let (width, height) = (picture.width(), picture.height());
    let pixel = |x: usize, y: usize| {
        let at = (y.min(rgb.height - 1) * rgb.width + x.min(rgb.width - 1)) * 3;
        [0, 1, 2].map(|channel| i32::from(rgb.data[at + channel]))
    };
    let (luma, u, v) = picture.planes_mut();
    let byte = |value: i32| u8::try_from(value).unwrap_or(255);
    for y in 0..height {
        for x in 0..width {
            let [r, g, b] = pixel(x, y);
            luma[y * width + x] = byte(16 + ((11_966 * r + 40_254 * g + 4_064 * b + 32_768) >> 16));
        }
    }
    for y in 0..height / 2 {
        for x in 0..width / 2 {
            let mut sum = [0; 3];
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let here = pixel(2 * x + dx, 2 * y + dy);
                sum = [0, 1, 2].map(|channel| sum[channel] + here[channel]);
            }
            let [r, g, b] = sum;
            u[y * width / 2 + x] =
                byte(128 + ((-6_596 * r - 22_189 * g + 28_784 * b + 131_072) >> 18));
            v[y * width / 2 + x] =
                byte(128 + ((28_784 * r - 26_145 * g - 2_639 * b + 131_072) >> 18));
        }
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::{Content, Motion, to_picture};
    use crate::codec::testing::page::Rgb;

    #[test]
    fn a_seed_gives_the_same_frames_each_time() {
        let draw = || {
            Content::drawn(96, 160, 3)
                .frames(Motion::Slide, 8)
                .last()
                .map(|frame| frame.rgb.data)
        };
        assert_eq!(draw(), draw());
    }

    #[test]
    fn a_scrolled_frame_is_the_one_before_moved_by_its_distance() {
        let content = Content::drawn(96, 160, 3);
        let frames: Vec<_> = content.frames(Motion::Scroll, 3).collect();
        let moved = usize::try_from(frames[2].scroll.expect("it scrolls")).expect("it goes down");
        let row =
            |frame: usize, row: usize| &frames[frame].rgb.data[row * 96 * 3..(row + 1) * 96 * 3];
        assert!((20..120).all(|at| row(2, at) == row(1, at + moved)));
    }

    #[test]
    fn white_black_and_primaries_become_the_values_of_the_standard() {
        for (colour, wanted) in [
            ([255, 255, 255], [235, 128, 128]),
            ([0, 0, 0], [16, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]),
            ([0, 0, 255], [32, 240, 118]),
        ] {
            let picture = to_picture(&Rgb::filled(2, 2, colour));
            let (y, u, v) = picture.planes();
            assert_eq!([y[0], u[0], v[0]], wanted, "{colour:?}");
        }
    }
}
