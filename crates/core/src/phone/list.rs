//! A screen as a list of drawing steps. Two lists compared tell what changed, so that a draw touches only that.

use std::sync::Arc;

use super::canvas::{Canvas, Color};
use super::font::{Fonts, Style};
use super::geom::Rect;
use super::icons::{Icon, Icons};
use super::picture;

/// What is drawn.
#[expect(
    missing_docs,
    reason = "the fields' names and types say all there is; sizes are pixels"
)]
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box with round corners.
    Box {
        rect: Rect,
        radius: i32,
        color: Color,
    },
    /// The line round it.
    Stroke {
        rect: Rect,
        radius: i32,
        thickness: i32,
        color: Color,
    },
    /// A disc.
    Disc {
        cx: f32,
        cy: f32,
        r: f32,
        color: Color,
    },
    /// A line with round ends.
    Line {
        from: (f32, f32),
        to: (f32, f32),
        width: f32,
        color: Color,
    },
    /// Top to bottom.
    Gradient {
        rect: Rect,
        top: Color,
        bottom: Color,
    },
    /// One line of text.
    Text {
        x: f32,
        baseline: i32,
        style: Style,
        text: Arc<str>,
        width: f32,
    },
    /// An icon in a square.
    Icon {
        icon: Icon,
        x: i32,
        y: i32,
        size: u16,
        color: Color,
    },
    /// The photo, as far in as the fingers pulled it.
    Photo { rect: Rect, view: picture::View },
}

/// A shape and where it may be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What.
    pub shape: Shape,
    /// Nothing outside is touched.
    pub clip: Rect,
}

impl Step {
    /// Every pixel the step can touch.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        let rect = match &self.shape {
            Shape::Box { rect, .. }
            | Shape::Stroke { rect, .. }
            | Shape::Gradient { rect, .. }
            | Shape::Photo { rect, .. } => *rect,
            Shape::Disc { cx, cy, r, .. } => {
                let side = (r * 2.0).ceil() as i32 + 4;
                Rect::new((cx - r) as i32 - 2, (cy - r) as i32 - 2, side, side)
            }
            Shape::Text {
                x,
                baseline,
                style: Style { size, .. },
                width,
                ..
            } => {
                // Accents and tails of capitals reach past the line box.
                let (up, down) = ((size * 1.25) as i32, (size * 0.45) as i32);
                Rect::new(*x as i32 - 4, baseline - up, *width as i32 + 12, up + down)
            }
            Shape::Line {
                from, to, width, ..
            } => {
                let reach = (width / 2.0).ceil() as i32 + 2;
                let (left, top) = (
                    from.0.min(to.0) as i32 - reach,
                    from.1.min(to.1) as i32 - reach,
                );
                let (right, bottom) = (
                    from.0.max(to.0) as i32 + reach,
                    from.1.max(to.1) as i32 + reach,
                );
                Rect::new(left, top, right - left + 1, bottom - top + 1)
            }
            Shape::Icon { x, y, size, .. } => Rect::new(*x, *y, i32::from(*size), i32::from(*size)),
        };
        rect.intersect(&self.clip)
    }

    fn draw(&self, canvas: &mut Canvas, fonts: &mut Fonts, icons: &mut Icons) {
        match &self.shape {
            Shape::Box {
                rect,
                radius,
                color,
            } => canvas.fill_round(*rect, *radius, *color),
            Shape::Stroke {
                rect,
                radius,
                thickness,
                color,
            } => canvas.stroke_round(*rect, *radius, *thickness, *color),
            Shape::Disc { cx, cy, r, color } => canvas.circle(*cx, *cy, *r, *color),
            Shape::Line {
                from,
                to,
                width,
                color,
            } => canvas.line(*from, *to, *width, *color),
            Shape::Gradient { rect, top, bottom } => canvas.gradient(*rect, *top, *bottom),
            Shape::Text {
                x,
                baseline,
                style,
                text,
                ..
            } => {
                fonts.draw(canvas, *x, *baseline, text, *style);
            }
            Shape::Icon {
                icon,
                x,
                y,
                size,
                color,
            } => canvas.mask(*x, *y, icons.get(*icon, *size), *color),
            Shape::Photo { rect, view } => picture::draw(canvas, *rect, *view),
        }
    }
}

/// The pixels in which two lists differ.
#[must_use]
pub fn damage(old: &[Step], new: &[Step]) -> Rect {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut dirty = Rect::default();
    if old.len() == new.len() {
        for (a, b) in old.iter().zip(new).filter(|(a, b)| a != b) {
            dirty = dirty.union(&a.bounds()).union(&b.bounds());
        }
    } else {
        for step in old.iter().chain(new) {
            dirty = dirty.union(&step.bounds());
        }
    }
    dirty
}

/// Draws the list where `dirty` says.
pub fn draw(
    steps: &[Step],
    dirty: Rect,
    canvas: &mut Canvas,
    fonts: &mut Fonts,
    icons: &mut Icons,
) {
    // Nothing under the last opaque box that covers the whole of `dirty` can be seen.
    let first = steps.iter().rposition(|step| {
        matches!(&step.shape, Shape::Box { rect, radius: 0, color } if color.a == 255 && rect.intersect(&step.clip).intersect(&dirty) == dirty)
    });
    for step in &steps[first.unwrap_or(0)..] {
        let seen = step.bounds().intersect(&dirty);
        if !seen.is_empty() {
            canvas.set_clip(step.clip.intersect(&dirty));
            step.draw(canvas, fonts, icons);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(x: i32, color: u32) -> Step {
        let rect = Rect::new(x, 0, 10, 10);
        Step {
            shape: Shape::Box {
                rect,
                radius: 0,
                color: Color::hex(color),
            },
            clip: Rect::new(0, 0, 100, 100),
        }
    }

    #[test]
    fn equal_lists_have_no_damage() {
        assert!(damage(&[block(0, 1), block(20, 2)], &[block(0, 1), block(20, 2)]).is_empty());
    }

    #[test]
    fn only_the_steps_that_differ_are_damaged() {
        let old = [block(0, 1), block(20, 2), block(40, 3)];
        let new = [block(0, 1), block(20, 9), block(40, 3)];
        assert_eq!(damage(&old, &new), Rect::new(20, 0, 10, 10));
        assert_eq!(damage(&old, &new[..1]), Rect::new(20, 0, 30, 10));
    }
}
