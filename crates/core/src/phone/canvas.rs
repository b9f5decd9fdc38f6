//! A packed RGB888 picture and the few shapes a phone's screen is made of. Edges are anti-aliased; boxes sit on whole
//! pixels, so that straight edges stay crisp.

mod color;

pub use color::Color;

use super::geom::Rect;

/// Coverage of a shape, 0 to 255 a pixel, rows packed.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// `width * height` values.
    pub coverage: Vec<u8>,
}

/// The picture under the brush.
pub struct Canvas {
    width: usize,
    height: usize,
    data: Vec<u8>,
    clip: Rect,
}

#[inline]
fn blend(pixel: &mut [u8], color: Color, alpha: u32) {
    // 255-based weights, rounded: exact at both ends.
    let keep = 255 - alpha;
    let mix = |old: u8, new: u8| {
        let v = u32::from(old) * keep + u32::from(new) * alpha + 127;
        ((v + (v >> 8) + 1) >> 8) as u8
    };
    pixel[0] = mix(pixel[0], color.r);
    pixel[1] = mix(pixel[1], color.g);
    pixel[2] = mix(pixel[2], color.b);
}

impl Canvas {
    /// A black picture.
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            data: vec![0; width * height * 3],
            clip: Rect::new(0, 0, width as i32, height as i32),
        }
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Rows top down, packed, three bytes a pixel.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The same rows, without a copy.
    #[must_use]
    pub fn into_data(self) -> Vec<u8> {
        self.data
    }

    /// The colour at a pixel.
    #[must_use]
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.data[at], self.data[at + 1], self.data[at + 2]]
    }

    /// Everything outside is left alone from now on.
    pub fn set_clip(&mut self, clip: Rect) {
        self.clip = clip.intersect(&Rect::new(0, 0, self.width as i32, self.height as i32));
    }

    fn span(&mut self, y: i32, from: i32, to: i32, color: Color) {
        let (from, to) = (from.max(self.clip.x), to.min(self.clip.right()));
        if from >= to || y < self.clip.y || y >= self.clip.bottom() {
            return;
        }
        let start = (y as usize * self.width + from as usize) * 3;
        let end = start + (to - from) as usize * 3;
        fill_row(&mut self.data[start..end], color);
    }

    fn dot(&mut self, x: i32, y: i32, color: Color, coverage: f32) {
        if coverage <= 0.0
            || x < self.clip.x
            || x >= self.clip.right()
            || y < self.clip.y
            || y >= self.clip.bottom()
        {
            return;
        }
        let at = (y as usize * self.width + x as usize) * 3;
        let alpha = (f32::from(color.a) * coverage.min(1.0) + 0.5) as u32;
        blend(&mut self.data[at..at + 3], color, alpha);
    }

    /// A box.
    pub fn fill(&mut self, rect: Rect, color: Color) {
        let r = rect.intersect(&self.clip);
        if r.is_empty() || color.a == 0 {
            return;
        }
        let (first, stride) = (
            (r.y as usize * self.width + r.x as usize) * 3,
            self.width * 3,
        );
        let len = r.w as usize * 3;
        fill_row(&mut self.data[first..first + len], color);
        if color.a == 255 {
            // Copying the finished row is several times faster than writing triples again.
            for row in 1..r.h as usize {
                self.data
                    .copy_within(first..first + len, first + row * stride);
            }
        } else {
            for row in 1..r.h as usize {
                let at = first + row * stride;
                fill_row(&mut self.data[at..at + len], color);
            }
        }
    }

    /// A box with round corners.
    pub fn fill_round(&mut self, rect: Rect, radius: i32, color: Color) {
        let radius = radius.min(rect.w / 2).min(rect.h / 2).max(0);
        if radius == 0 {
            return self.fill(rect, color);
        }
        self.fill(
            Rect::new(rect.x, rect.y + radius, rect.w, rect.h - 2 * radius),
            color,
        );
        let r = radius as f32;
        for row in 0..radius {
            let (top, bottom) = (rect.y + row, rect.bottom() - 1 - row);
            let dy = r - (row as f32 + 0.5);
            // Pixels before `edge` are outside, from `solid` on they are whole.
            let half = (r * r - dy * dy).max(0.0).sqrt();
            let solid = ((r - half + 1.5).ceil() as i32).min(radius);
            let edge = ((r - half - 1.5).floor() as i32).max(0);
            for x in edge..solid {
                let dx = r - (x as f32 + 0.5);
                let coverage = (r - (dx * dx + dy * dy).sqrt() + 0.5).clamp(0.0, 1.0);
                for y in [top, bottom] {
                    self.dot(rect.x + x, y, color, coverage);
                    self.dot(rect.right() - 1 - x, y, color, coverage);
                }
            }
            self.span(top, rect.x + solid, rect.right() - solid, color);
            self.span(bottom, rect.x + solid, rect.right() - solid, color);
        }
    }

    /// The line round a box with round corners, drawn inside its edge.
    pub fn stroke_round(&mut self, rect: Rect, radius: i32, thickness: i32, color: Color) {
        let t = thickness;
        let radius = radius.min(rect.w / 2).min(rect.h / 2).max(t);
        self.fill(
            Rect::new(rect.x + radius, rect.y, rect.w - 2 * radius, t),
            color,
        );
        self.fill(
            Rect::new(rect.x + radius, rect.bottom() - t, rect.w - 2 * radius, t),
            color,
        );
        self.fill(
            Rect::new(rect.x, rect.y + radius, t, rect.h - 2 * radius),
            color,
        );
        self.fill(
            Rect::new(rect.right() - t, rect.y + radius, t, rect.h - 2 * radius),
            color,
        );
        let (outer, inner) = (radius as f32, (radius - t) as f32);
        for row in 0..radius {
            let dy = outer - (row as f32 + 0.5);
            for x in 0..radius {
                let dx = outer - (x as f32 + 0.5);
                let d = (dx * dx + dy * dy).sqrt();
                let coverage =
                    (outer - d + 0.5).clamp(0.0, 1.0) * (d - inner + 0.5).clamp(0.0, 1.0);
                for y in [rect.y + row, rect.bottom() - 1 - row] {
                    self.dot(rect.x + x, y, color, coverage);
                    self.dot(rect.right() - 1 - x, y, color, coverage);
                }
            }
        }
    }

    /// A disc round a point.
    pub fn circle(&mut self, cx: f32, cy: f32, r: f32, color: Color) {
        let (top, bottom) = ((cy - r - 1.0).floor() as i32, (cy + r + 1.0).ceil() as i32);
        for y in top.max(self.clip.y)..bottom.min(self.clip.bottom()) {
            let dy = y as f32 + 0.5 - cy;
            let whole = ((r - 0.5).powi(2) - dy * dy).max(0.0).sqrt();
            let any = ((r + 0.5).powi(2) - dy * dy).max(0.0).sqrt();
            if any == 0.0 {
                continue;
            }
            let (left, right) = ((cx - whole).ceil() as i32, (cx + whole).floor() as i32);
            let edge = |canvas: &mut Self, x: i32| {
                let dx = x as f32 + 0.5 - cx;
                canvas.dot(
                    x,
                    y,
                    color,
                    (r - (dx * dx + dy * dy).sqrt() + 0.5).clamp(0.0, 1.0),
                );
            };
            let (left, right) = if whole > 0.0 && left < right {
                (left, right)
            } else {
                (cx as i32, cx as i32)
            };
            for x in ((cx - any).floor() as i32)..left {
                edge(self, x);
            }
            self.span(y, left, right, color);
            for x in right..(cx + any).ceil() as i32 {
                edge(self, x);
            }
        }
    }

    /// A line with round ends between two points.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, color: Color) {
        let r = width / 2.0;
        let (left, right) = (from.0.min(to.0) - r - 1.0, from.0.max(to.0) + r + 1.0);
        let (top, bottom) = (from.1.min(to.1) - r - 1.0, from.1.max(to.1) + r + 1.0);
        let around = Rect::new(
            left as i32,
            top as i32,
            (right - left) as i32 + 2,
            (bottom - top) as i32 + 2,
        );
        let seen = around.intersect(&self.clip);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let square = (dx * dx + dy * dy).max(f32::EPSILON);
        for y in seen.y..seen.bottom() {
            for x in seen.x..seen.right() {
                let (px, py) = (x as f32 + 0.5 - from.0, y as f32 + 0.5 - from.1);
                let t = ((px * dx + py * dy) / square).clamp(0.0, 1.0);
                let away = ((px - t * dx).powi(2) + (py - t * dy).powi(2)).sqrt();
                self.dot(x, y, color, (r - away + 0.5).clamp(0.0, 1.0));
            }
        }
    }

    /// From one colour at the top to another at the bottom.
    pub fn gradient(&mut self, rect: Rect, top: Color, bottom: Color) {
        let r = rect.intersect(&self.clip);
        for y in r.y..r.bottom() {
            let t = (y - rect.y) as f32 / (rect.h - 1).max(1) as f32;
            self.span(y, r.x, r.right(), top.mix(bottom, t));
        }
    }

    /// A shape by its coverage, its corner at x, y.
    pub fn mask(&mut self, x: i32, y: i32, mask: &Mask, color: Color) {
        let r = Rect::new(x, y, mask.width as i32, mask.height as i32).intersect(&self.clip);
        if r.is_empty() {
            return;
        }
        let alpha = u32::from(color.a);
        for row in r.y..r.bottom() {
            let source = (row - y) as usize * mask.width + (r.x - x) as usize;
            let coverage = &mask.coverage[source..source + r.w as usize];
            let at = (row as usize * self.width + r.x as usize) * 3;
            let pixels = &mut self.data[at..at + r.w as usize * 3];
            for (pixel, &c) in pixels.chunks_exact_mut(3).zip(coverage) {
                if c != 0 {
                    blend(pixel, color, (u32::from(c) * alpha + 127) / 255);
                }
            }
        }
    }

    /// A pixel for pixel shader over a box: `f` is asked for each pixel's colour.
    pub fn shade(&mut self, rect: Rect, f: impl Fn(i32, i32) -> Color) {
        let r = rect.intersect(&self.clip);
        for y in r.y..r.bottom() {
            let at = (y as usize * self.width + r.x as usize) * 3;
            let row = &mut self.data[at..at + r.w as usize * 3];
            for (x, pixel) in (r.x..).zip(row.chunks_exact_mut(3)) {
                let c = f(x, y);
                pixel.copy_from_slice(&[c.r, c.g, c.b]);
            }
        }
    }
}

fn fill_row(row: &mut [u8], color: Color) {
    if color.a == 255 {
        for pixel in row.chunks_exact_mut(3) {
            pixel.copy_from_slice(&[color.r, color.g, color.b]);
        }
    } else {
        for pixel in row.chunks_exact_mut(3) {
            blend(pixel, color, u32::from(color.a));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blend_is_exact_at_both_ends() {
        for old in 0..=255u8 {
            let mut pixel = [old; 3];
            blend(&mut pixel, Color::hex(0x8040C0), 0);
            assert_eq!(pixel, [old; 3]);
            blend(&mut pixel, Color::hex(0x8040C0), 255);
            assert_eq!(pixel, [0x80, 0x40, 0xC0]);
        }
    }

    #[test]
    fn a_fill_stays_inside_its_clip() {
        let mut canvas = Canvas::new(8, 8);
        canvas.set_clip(Rect::new(2, 2, 4, 4));
        canvas.fill_round(Rect::new(-10, -10, 40, 40), 3, Color::hex(0xFFFFFF));
        let lit = canvas
            .data()
            .chunks_exact(3)
            .filter(|p| p[0] == 255)
            .count();
        assert_eq!(lit, 16);
    }

    #[test]
    fn a_disc_covers_its_area() {
        let mut canvas = Canvas::new(64, 64);
        canvas.circle(32.0, 32.0, 20.0, Color::hex(0xFFFFFF));
        let sum: f64 = canvas
            .data()
            .chunks_exact(3)
            .map(|p| f64::from(p[0]) / 255.0)
            .sum();
        assert!((sum - std::f64::consts::PI * 400.0).abs() < 6.0, "{sum}");
    }

    #[test]
    fn a_round_boxs_corner_is_cut_and_its_middle_whole() {
        let mut canvas = Canvas::new(40, 40);
        canvas.fill_round(Rect::new(0, 0, 40, 40), 12, Color::hex(0xFFFFFF));
        assert_eq!(canvas.pixel(0, 0), [0; 3]);
        assert_eq!(canvas.pixel(20, 0), [255; 3]);
        assert_eq!(canvas.pixel(0, 20), [255; 3]);
        assert_eq!(canvas.pixel(39, 39), [0; 3]);
    }
}
