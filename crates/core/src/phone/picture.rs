//! The photo of the image page: hills at dusk, a pure function of the place, so that any zoom is sharp and exact.

use super::canvas::{Canvas, Color};
use super::geom::Rect;

/// How far in, and where: `zoom` 1 shows the whole; `x`, `y` are the photo's point (0 to 1) at the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// 1 to 8.
    pub zoom: f32,
    /// 0 to 1 across.
    pub x: f32,
    /// 0 to 1 down.
    pub y: f32,
}

impl View {
    /// The whole photo.
    pub const WHOLE: Self = Self {
        zoom: 1.0,
        x: 0.5,
        y: 0.5,
    };

    /// The nearest view that shows nothing outside the photo.
    #[must_use]
    pub fn inside(self) -> Self {
        let zoom = self.zoom.clamp(1.0, 8.0);
        let half = 0.5 / zoom;
        Self {
            zoom,
            x: self.x.clamp(half, 1.0 - half),
            y: self.y.clamp(half, 1.0 - half),
        }
    }
}

/// The ridge's height (0 to 1 down) at a place across.
fn ridge(x: f32, base: f32, swing: f32, rate: f32, phase: f32) -> f32 {
    let a = (x * rate + phase).sin();
    let b = (x * rate * 2.7 + phase * 1.9).sin() * 0.45;
    let c = (x * rate * 7.3 + phase * 0.7).sin() * 0.12;
    base - swing * (a + b + c)
}

const RIDGES: [(f32, f32, f32, f32, u32); 4] = [
    (0.56, 0.055, 7.0, 0.4, 0x8A6CA8),
    (0.66, 0.060, 9.0, 2.1, 0x5E4E8C),
    (0.78, 0.055, 12.0, 4.0, 0x3A366B),
    (0.90, 0.045, 16.0, 1.2, 0x1E2147),
];

/// Draws the part of the photo that the view shows.
pub fn draw(canvas: &mut Canvas, rect: Rect, view: View) {
    let (w, h) = (rect.w as f32, rect.h as f32);
    let across = 1.0 / (view.zoom * w);
    let down = 1.0 / (view.zoom * h);
    let (left, top) = (view.x - 0.5 / view.zoom, view.y - 0.5 / view.zoom);
    // Columns share their ridges, rows their sky: worked out once each.
    let columns: Vec<[f32; 4]> = (0..rect.w)
        .map(|x| {
            let u = left + (x as f32 + 0.5) * across;
            RIDGES.map(|(base, swing, rate, phase, _)| ridge(u, base, swing, rate, phase))
        })
        .collect();
    let sky: Vec<Color> = (0..rect.h)
        .map(|y| {
            let v = top + (y as f32 + 0.5) * down;
            let (high, mid, low) = (
                Color::hex(0x2B3A7A),
                Color::hex(0xC86A8E),
                Color::hex(0xFFC385),
            );
            if v < 0.32 {
                high.mix(mid, v / 0.32)
            } else {
                mid.mix(low, (v - 0.32) / 0.25)
            }
        })
        .collect();
    let hills = RIDGES.map(|(.., color)| Color::hex(color));
    let sun = Sun::new(h / w, across);
    let half = down / 2.0;
    canvas.shade(rect, |x, y| {
        let (column, row) = ((x - rect.x) as usize, (y - rect.y) as usize);
        let v = top + (row as f32 + 0.5) * down;
        let ridges = &columns[column];
        // The nearest hill that covers the whole pixel hides all that lies behind it.
        let solid = ridges.iter().rposition(|ridge| v >= ridge + half);
        let mut color = match solid {
            Some(hill) => hills[hill],
            None => sun.lit(sky[row], left + (column as f32 + 0.5) * across, v),
        };
        for hill in solid.map_or(0, |hill| hill + 1)..hills.len() {
            if v > ridges[hill] - half {
                let covered = ((v - ridges[hill]) / down + 0.5).min(1.0);
                color = weighted(color, hills[hill], (covered * 256.0) as u32);
            }
        }
        color
    });
}

/// Between two colours, `weight` of 256 towards the second.
fn weighted(a: Color, b: Color, weight: u32) -> Color {
    let mix = |a: u8, b: u8| ((u32::from(a) * (256 - weight) + u32::from(b) * weight) >> 8) as u8;
    Color {
        r: mix(a.r, b.r),
        g: mix(a.g, b.g),
        b: mix(a.b, b.b),
        a: 255,
    }
}

/// The sun with its glow, its weights by the square of the distance: roots for each pixel would cost the most.
struct Sun {
    aspect: f32,
    weights: Vec<(u16, u16)>,
}

impl Sun {
    const STEPS: usize = 16_384;
    /// Square of the glow's radius.
    const REACH: f32 = 0.0625;

    fn new(aspect: f32, across: f32) -> Self {
        let weights = (0..Self::STEPS)
            .map(|step| {
                let away = ((step as f32 + 0.5) / Self::STEPS as f32 * Self::REACH).sqrt();
                let glow = ((0.25 - away) / 0.25).powi(2) * 0.55;
                let disc = ((0.075 - away) / across + 0.5).clamp(0.0, 1.0);
                ((glow * 256.0) as u16, (disc * 256.0) as u16)
            })
            .collect();
        Self { aspect, weights }
    }

    fn lit(&self, sky: Color, u: f32, v: f32) -> Color {
        let (dx, dy) = (u - 0.68, (v - 0.36) * self.aspect);
        let square = dx * dx + dy * dy;
        let Some(&(glow, disc)) = self
            .weights
            .get((square * (Self::STEPS as f32 / Self::REACH)) as usize)
        else {
            return sky;
        };
        let lit = weighted(sky, Color::hex(0xFFE3B0), u32::from(glow));
        if disc == 0 {
            lit
        } else {
            weighted(lit, Color::hex(0xFFF4D8), u32::from(disc))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_never_leaves_the_photo() {
        let view = View {
            zoom: 2.0,
            x: 0.0,
            y: 1.0,
        }
        .inside();
        assert_eq!(
            view,
            View {
                zoom: 2.0,
                x: 0.25,
                y: 0.75
            }
        );
        assert_eq!(
            View {
                zoom: 0.3,
                x: 0.1,
                y: 0.9
            }
            .inside(),
            View::WHOLE
        );
    }

    #[test]
    fn a_zoom_shows_the_same_place_larger() {
        let rect = Rect::new(0, 0, 200, 200);
        let (mut whole, mut near) = (Canvas::new(200, 200), Canvas::new(200, 200));
        draw(&mut whole, rect, View::WHOLE);
        draw(
            &mut near,
            rect,
            View {
                zoom: 4.0,
                x: 0.5,
                y: 0.9,
            }
            .inside(),
        );
        assert_eq!(near.pixel(100, 190), whole.pixel(100, 195));
        assert_ne!(whole.data(), near.data());
    }
}
