//! Whole-pixel rectangles and how a turned screen maps onto its natural panel.

use serde::{Deserialize, Serialize};

/// A rectangle in pixels. Empty when either side is zero or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    #[serde(rename = "width")]
    pub w: i32,
    /// Height.
    #[serde(rename = "height")]
    pub h: i32,
}

impl Rect {
    /// A rectangle from its corner and size.
    #[must_use]
    pub const fn new(x: i32, y: i32, w: i32, h: i32) -> Self {
        Self { x, y, w, h }
    }

    /// One past the right edge.
    #[must_use]
    pub const fn right(&self) -> i32 {
        self.x + self.w
    }

    /// One past the bottom edge.
    #[must_use]
    pub const fn bottom(&self) -> i32 {
        self.y + self.h
    }

    /// Has no pixel.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.w <= 0 || self.h <= 0
    }

    /// The pixels of both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let w = self.right().min(other.right()) - x;
        let h = self.bottom().min(other.bottom()) - y;
        if w <= 0 || h <= 0 {
            Self::default()
        } else {
            Self { x, y, w, h }
        }
    }

    /// The smallest rectangle round both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        let x = self.x.min(other.x);
        let y = self.y.min(other.y);
        Self {
            x,
            y,
            w: self.right().max(other.right()) - x,
            h: self.bottom().max(other.bottom()) - y,
        }
    }

    /// Smaller by `by` pixels on each side (larger when negative).
    #[must_use]
    pub const fn inset(&self, by: i32) -> Self {
        Self {
            x: self.x + by,
            y: self.y + by,
            w: self.w - 2 * by,
            h: self.h - 2 * by,
        }
    }

    /// Moved.
    #[must_use]
    pub const fn offset(&self, dx: i32, dy: i32) -> Self {
        Self {
            x: self.x + dx,
            y: self.y + dy,
            w: self.w,
            h: self.h,
        }
    }

    /// Is the point inside?
    #[must_use]
    pub fn contains(&self, x: f32, y: f32) -> bool {
        x >= self.x as f32
            && y >= self.y as f32
            && x < self.right() as f32
            && y < self.bottom() as f32
    }
}

/// How the device is held, counted from its screen's own upright.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// As the screen's table says.
    Upright,
    /// A quarter turn counter-clockwise.
    TurnedLeft,
    /// Half a turn.
    UpsideDown,
    /// A quarter turn clockwise.
    TurnedRight,
}

impl Orientation {
    /// Is the picture's width the panel's height?
    #[must_use]
    pub const fn swaps(self) -> bool {
        matches!(self, Self::TurnedLeft | Self::TurnedRight)
    }

    /// A quarter turn counter-clockwise from here.
    #[must_use]
    pub const fn left(self) -> Self {
        match self {
            Self::Upright => Self::TurnedLeft,
            Self::TurnedLeft => Self::UpsideDown,
            Self::UpsideDown => Self::TurnedRight,
            Self::TurnedRight => Self::Upright,
        }
    }

    /// A quarter turn clockwise from here.
    #[must_use]
    pub const fn right(self) -> Self {
        self.left().left().left()
    }

    /// The picture's size for a natural panel of this size.
    #[must_use]
    pub const fn picture(self, panel: (i32, i32)) -> (i32, i32) {
        if self.swaps() {
            (panel.1, panel.0)
        } else {
            panel
        }
    }

    /// From a point of the natural panel to the picture as it is shown. Both count pixel centres as whole numbers,
    /// so that 0 and size - 1 are the outermost pixels on each side.
    #[must_use]
    pub fn panel_to_picture(self, panel: (i32, i32), x: f32, y: f32) -> (f32, f32) {
        let (right, bottom) = (panel.0 as f32 - 1.0, panel.1 as f32 - 1.0);
        match self {
            Self::Upright => (x, y),
            // The panel's right edge is the picture's top.
            Self::TurnedLeft => (y, right - x),
            Self::UpsideDown => (right - x, bottom - y),
            // The panel's left edge is the picture's top.
            Self::TurnedRight => (bottom - y, x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_left_puts_the_panels_right_edge_on_top() {
        let panel = (1080, 2400);
        assert_eq!(
            Orientation::TurnedLeft.panel_to_picture(panel, 1079.0, 0.0),
            (0.0, 0.0)
        );
        assert_eq!(
            Orientation::TurnedRight.panel_to_picture(panel, 0.0, 2399.0),
            (0.0, 0.0)
        );
        assert_eq!(
            Orientation::UpsideDown.panel_to_picture(panel, 1079.0, 2399.0),
            (0.0, 0.0)
        );
        assert_eq!(
            Orientation::Upright.panel_to_picture(panel, 3.0, 4.0),
            (3.0, 4.0)
        );
    }

    #[test]
    fn four_turns_left_end_where_they_began_and_right_undoes_left() {
        let o = Orientation::Upright;
        assert_eq!(o.left().left().left().left(), o);
        assert_eq!(o.left().right(), o);
        assert_eq!(o.left().picture((10, 20)), (20, 10));
    }

    #[test]
    fn rectangles_that_do_not_meet_intersect_in_nothing() {
        assert!(
            Rect::new(0, 0, 10, 10)
                .intersect(&Rect::new(10, 0, 5, 5))
                .is_empty()
        );
        assert_eq!(
            Rect::default().union(&Rect::new(1, 2, 3, 4)),
            Rect::new(1, 2, 3, 4)
        );
    }
}
