//! The phone's icons: small drawings of strokes and solids on a 24-unit square, rasterised by distance, once a size.

use std::collections::HashMap;

use super::canvas::Mask;

/// One part of an icon, in units of a 24-unit square.
enum Part {
    /// A stroke with round ends.
    Line(f32, f32, f32, f32, f32),
    /// A solid disc.
    Disc(f32, f32, f32),
    /// A ring and its thickness.
    Ring(f32, f32, f32, f32),
    /// A part of a ring: centre, radius, thickness, from and to in degrees, clockwise from the right.
    Arc(f32, f32, f32, f32, f32, f32),
    /// A solid box with round corners: corner, size, radius.
    Block(f32, f32, f32, f32, f32),
    /// The outline of such a box, and its thickness.
    Frame(f32, f32, f32, f32, f32, f32),
    /// A solid triangle.
    Tri([(f32, f32); 3]),
    /// What follows is taken away from what came before.
    Cut(&'static Part),
}

macro_rules! icons {
    ($($(#[$doc:meta])* $name:ident = [$($part:expr),* $(,)?];)*) => {
        /// An icon's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Icon { $($(#[$doc])* $name,)* }
        impl Icon {
            fn parts(self) -> &'static [Part] {
                use Part::*;
                match self { $(Self::$name => { const P: &[Part] = &[$($part),*]; P })* }
            }
        }
    };
}

icons! {
    /// An arrow to the left.
    Back = [Line(5.0, 12.0, 19.5, 12.0, 2.0), Line(5.0, 12.0, 11.5, 5.5, 2.0), Line(5.0, 12.0, 11.5, 18.5, 2.0)];
    /// A small arrow to the right.
    Chevron = [Line(9.5, 6.5, 15.0, 12.0, 1.9), Line(15.0, 12.0, 9.5, 17.5, 1.9)];
    /// A cross.
    Close = [Line(6.0, 6.0, 18.0, 18.0, 2.0), Line(6.0, 18.0, 18.0, 6.0, 2.0)];
    /// A tick.
    Check = [Line(5.5, 12.5, 10.0, 17.0, 2.2), Line(10.0, 17.0, 19.0, 7.5, 2.2)];
    /// A magnifying glass.
    Search = [Ring(10.5, 10.5, 6.0, 2.0), Line(15.2, 15.2, 20.0, 20.0, 2.2)];
    /// A cog wheel.
    Gear = [
        Line(12.0, 3.2, 12.0, 20.8, 3.6), Line(4.4, 7.6, 19.6, 16.4, 3.6), Line(19.6, 7.6, 4.4, 16.4, 3.6),
        Disc(12.0, 12.0, 7.0), Cut(&Disc(12.0, 12.0, 3.2)),
    ];
    /// Arcs of radio.
    Wifi = [
        Arc(12.0, 18.5, 14.0, 2.2, -135.0, -45.0), Arc(12.0, 18.5, 9.4, 2.2, -135.0, -45.0),
        Arc(12.0, 18.5, 4.9, 2.2, -135.0, -45.0), Disc(12.0, 18.3, 1.7),
    ];
    /// Radio with a stroke through it.
    NoWifi = [
        Arc(12.0, 18.5, 14.0, 2.2, -135.0, -45.0), Arc(12.0, 18.5, 9.4, 2.2, -135.0, -45.0), Disc(12.0, 18.3, 1.7),
        Cut(&Line(4.5, 3.5, 20.5, 19.5, 4.4)), Line(4.5, 4.5, 19.5, 19.5, 1.9),
    ];
    /// Bars of signal.
    Signal = [Block(3.0, 15.0, 3.6, 5.0, 1.0), Block(8.0, 11.5, 3.6, 8.5, 1.0), Block(13.0, 8.0, 3.6, 12.0, 1.0), Block(18.0, 4.0, 3.6, 16.0, 1.0)];
    /// A plane.
    Plane = [Line(12.0, 3.5, 12.0, 20.0, 2.6), Tri([(12.0, 8.5), (2.5, 15.5), (12.0, 13.8)]), Tri([(12.0, 8.5), (21.5, 15.5), (12.0, 13.8)]), Line(8.5, 20.5, 15.5, 20.5, 1.6)];
    /// A battery's body, upright.
    Battery = [Block(7.5, 4.0, 9.0, 17.0, 2.0), Block(10.0, 2.2, 4.0, 3.0, 0.8)];
    /// A bolt.
    Bolt = [Tri([(13.5, 2.5), (5.5, 13.5), (12.0, 13.5)]), Tri([(10.5, 21.5), (18.5, 10.5), (12.0, 10.5)])];
    /// Two devices in touch.
    Devices = [Frame(3.0, 5.0, 14.0, 10.0, 1.8, 1.9), Line(2.5, 18.5, 12.0, 18.5, 2.0), Block(14.5, 9.5, 7.0, 11.5, 1.8), Cut(&Block(16.2, 11.5, 3.6, 6.8, 0.4))];
    /// Four tiles.
    Apps = [Block(4.0, 4.0, 7.0, 7.0, 2.0), Block(13.0, 4.0, 7.0, 7.0, 2.0), Block(4.0, 13.0, 7.0, 7.0, 2.0), Block(13.0, 13.0, 7.0, 7.0, 2.0)];
    /// A bell.
    Bell = [Disc(12.0, 10.0, 5.8), Block(6.2, 10.0, 11.6, 7.0, 0.5), Line(5.0, 17.2, 19.0, 17.2, 1.8), Disc(12.0, 20.0, 1.8), Disc(12.0, 4.0, 1.5)];
    /// A loudspeaker.
    Sound = [Block(3.5, 9.0, 5.5, 6.0, 0.8), Tri([(6.0, 12.0), (12.5, 5.0), (12.5, 19.0)]), Arc(12.5, 12.0, 4.4, 1.9, -50.0, 50.0), Arc(12.5, 12.0, 8.0, 1.9, -50.0, 50.0)];
    /// The sun.
    Sun = [
        Disc(12.0, 12.0, 4.6), Line(12.0, 2.5, 12.0, 4.2, 1.9), Line(12.0, 19.8, 12.0, 21.5, 1.9), Line(2.5, 12.0, 4.2, 12.0, 1.9), Line(19.8, 12.0, 21.5, 12.0, 1.9),
        Line(5.3, 5.3, 6.5, 6.5, 1.9), Line(17.5, 17.5, 18.7, 18.7, 1.9), Line(5.3, 18.7, 6.5, 17.5, 1.9), Line(17.5, 6.5, 18.7, 5.3, 1.9),
    ];
    /// The moon.
    Moon = [Disc(12.0, 12.0, 8.6), Cut(&Disc(16.5, 8.5, 7.2))];
    /// A picture.
    Image = [Frame(3.0, 4.5, 18.0, 15.0, 2.6, 2.0), Tri([(6.0, 17.0), (10.2, 11.0), (14.0, 17.0)]), Tri([(11.5, 17.0), (15.2, 13.0), (18.2, 17.0)]), Disc(15.6, 8.9, 1.6)];
    /// A shield.
    Shield = [Block(5.0, 4.0, 14.0, 10.0, 2.0), Tri([(5.0, 12.5), (19.0, 12.5), (12.0, 21.5)]), Cut(&Line(8.5, 11.5, 11.2, 14.2, 1.8)), Cut(&Line(11.2, 14.2, 15.8, 8.8, 1.8))];
    /// A pin on a map.
    Pin = [Disc(12.0, 9.5, 6.5), Tri([(6.2, 12.5), (17.8, 12.5), (12.0, 21.5)]), Cut(&Disc(12.0, 9.5, 2.6))];
    /// A person.
    Person = [Disc(12.0, 8.0, 4.2), Block(4.5, 14.0, 15.0, 12.0, 6.0), Cut(&Block(0.0, 20.5, 24.0, 8.0, 0.0))];
    /// A heart.
    Heart = [Disc(8.0, 9.0, 4.6), Disc(16.0, 9.0, 4.6), Tri([(4.2, 11.6), (19.8, 11.6), (12.0, 20.5)]), Block(8.0, 8.0, 8.0, 5.0, 0.5)];
    /// A phone.
    Phone = [Frame(6.0, 2.5, 12.0, 19.0, 2.6, 2.0), Line(10.5, 18.3, 13.5, 18.3, 1.4)];
    /// A globe.
    Globe = [Ring(12.0, 12.0, 8.6, 1.9), Line(3.8, 12.0, 20.2, 12.0, 1.7), Line(12.0, 3.8, 12.0, 20.2, 1.7), Arc(5.0, 12.0, 11.0, 1.7, -50.0, 50.0), Arc(19.0, 12.0, 11.0, 1.7, 130.0, 230.0)];
    /// A pencil on a page.
    Pencil = [Line(6.0, 18.0, 16.5, 7.5, 4.2), Tri([(3.6, 20.4), (4.6, 15.6), (8.4, 19.4)]), Line(18.2, 5.8, 18.6, 5.4, 4.2)];
    /// A brush.
    Brush = [Line(19.5, 3.8, 11.0, 13.0, 3.0), Disc(7.6, 16.2, 3.9), Tri([(3.2, 20.6), (4.4, 14.6), (9.5, 19.6)])];
    /// A page of text.
    Page = [Block(4.5, 2.8, 15.0, 18.4, 2.4), Cut(&Line(8.2, 8.0, 15.8, 8.0, 1.7)), Cut(&Line(8.2, 12.0, 15.8, 12.0, 1.7)), Cut(&Line(8.2, 16.0, 13.0, 16.0, 1.7))];
    /// Sliders.
    Tune = [Line(4.0, 7.0, 20.0, 7.0, 1.9), Line(4.0, 12.0, 20.0, 12.0, 1.9), Line(4.0, 17.0, 20.0, 17.0, 1.9), Disc(9.0, 7.0, 2.8), Disc(15.5, 12.0, 2.8), Disc(7.5, 17.0, 2.8)];
    /// A drop of colour.
    Drop = [Disc(12.0, 14.5, 6.3), Tri([(6.4, 12.0), (17.6, 12.0), (12.0, 2.8)])];
    /// A wave.
    Pulse = [Line(2.5, 12.0, 7.0, 12.0, 2.0), Line(7.0, 12.0, 10.0, 5.0, 2.0), Line(10.0, 5.0, 14.0, 19.0, 2.0), Line(14.0, 19.0, 17.0, 12.0, 2.0), Line(17.0, 12.0, 21.5, 12.0, 2.0)];
    /// A clock.
    Clock = [Ring(12.0, 12.0, 8.6, 2.0), Line(12.0, 7.4, 12.0, 12.0, 1.9), Line(12.0, 12.0, 15.2, 14.0, 1.9)];
    /// A cube of storage.
    Storage = [Block(3.5, 4.0, 17.0, 4.6, 1.4), Block(3.5, 9.8, 17.0, 4.6, 1.4), Block(3.5, 15.6, 17.0, 4.6, 1.4), Cut(&Disc(6.6, 6.3, 0.9)), Cut(&Disc(6.6, 12.1, 0.9)), Cut(&Disc(6.6, 17.9, 0.9))];
    /// A padlock.
    Lock = [Block(5.0, 10.0, 14.0, 11.0, 2.4), Arc(12.0, 9.0, 4.3, 2.0, -180.0, 0.0), Line(7.7, 9.0, 7.7, 11.0, 2.0), Line(16.3, 9.0, 16.3, 11.0, 2.0), Cut(&Disc(12.0, 15.3, 1.7))];
    /// The letter i in a ring.
    Info = [Ring(12.0, 12.0, 8.8, 1.9), Line(12.0, 11.2, 12.0, 16.2, 1.9), Disc(12.0, 7.8, 1.3)];
    /// An open hand's worth of dots.
    Access = [Disc(12.0, 4.6, 2.2), Line(4.5, 8.6, 19.5, 8.6, 2.2), Line(12.0, 8.6, 12.0, 14.0, 3.6), Line(11.2, 14.0, 9.0, 21.0, 2.2), Line(12.8, 14.0, 15.0, 21.0, 2.2)];
}

fn segment(px: f32, py: f32, (ax, ay): (f32, f32), (bx, by): (f32, f32)) -> f32 {
    let (dx, dy) = (bx - ax, by - ay);
    let len = dx * dx + dy * dy;
    let t = if len == 0.0 {
        0.0
    } else {
        (((px - ax) * dx + (py - ay) * dy) / len).clamp(0.0, 1.0)
    };
    ((px - ax - t * dx).powi(2) + (py - ay - t * dy).powi(2)).sqrt()
}

fn block(px: f32, py: f32, x: f32, y: f32, w: f32, h: f32, r: f32) -> f32 {
    let qx = (px - (x + w / 2.0)).abs() - w / 2.0 + r;
    let qy = (py - (y + h / 2.0)).abs() - h / 2.0 + r;
    (qx.max(0.0).powi(2) + qy.max(0.0).powi(2)).sqrt() + qx.max(qy).min(0.0) - r
}

impl Part {
    /// Signed distance of a point from the part's edge: less than zero inside.
    fn distance(&self, px: f32, py: f32) -> f32 {
        match *self {
            Self::Line(ax, ay, bx, by, w) => segment(px, py, (ax, ay), (bx, by)) - w / 2.0,
            Self::Disc(x, y, r) => ((px - x).powi(2) + (py - y).powi(2)).sqrt() - r,
            Self::Ring(x, y, r, w) => {
                (((px - x).powi(2) + (py - y).powi(2)).sqrt() - r).abs() - w / 2.0
            }
            Self::Arc(x, y, r, w, from, to) => {
                let angle = (py - y).atan2(px - x).to_degrees();
                let inside = [angle - 360.0, angle, angle + 360.0]
                    .iter()
                    .any(|a| *a >= from && *a <= to);
                if inside {
                    return (((px - x).powi(2) + (py - y).powi(2)).sqrt() - r).abs() - w / 2.0;
                }
                let end = |deg: f32| {
                    let (s, c) = deg.to_radians().sin_cos();
                    ((px - x - c * r).powi(2) + (py - y - s * r).powi(2)).sqrt()
                };
                end(from).min(end(to)) - w / 2.0
            }
            Self::Block(x, y, w, h, r) => block(px, py, x, y, w, h, r),
            Self::Frame(x, y, w, h, r, t) => {
                (block(
                    px,
                    py,
                    x + t / 2.0,
                    y + t / 2.0,
                    w - t,
                    h - t,
                    (r - t / 2.0).max(0.0),
                ))
                .abs()
                    - t / 2.0
            }
            Self::Tri(p) => {
                let edge = segment(px, py, p[0], p[1])
                    .min(segment(px, py, p[1], p[2]))
                    .min(segment(px, py, p[2], p[0]));
                let side = |a: (f32, f32), b: (f32, f32)| {
                    (b.0 - a.0) * (py - a.1) - (b.1 - a.1) * (px - a.0) >= 0.0
                };
                let (a, b, c) = (side(p[0], p[1]), side(p[1], p[2]), side(p[2], p[0]));
                // A little roundness, so that triangles sit with the strokes' round ends.
                (if a == b && b == c { -edge } else { edge }) - 0.4
            }
            Self::Cut(part) => part.distance(px, py),
        }
    }
}

/// Icons by size, each drawn once.
#[derive(Default)]
pub struct Icons {
    masks: HashMap<(Icon, u16), Mask>,
}

impl Icons {
    /// The icon's coverage at this size in pixels.
    pub fn get(&mut self, icon: Icon, size: u16) -> &Mask {
        self.masks
            .entry((icon, size))
            .or_insert_with(|| rasterise(icon, usize::from(size)))
    }
}

fn rasterise(icon: Icon, size: usize) -> Mask {
    let unit = 24.0 / size as f32;
    let mut coverage = vec![0; size * size];
    for y in 0..size {
        for x in 0..size {
            let (px, py) = ((x as f32 + 0.5) * unit, (y as f32 + 0.5) * unit);
            let mut inside: f32 = 0.0;
            for part in icon.parts() {
                let covered = (0.5 - part.distance(px, py) / unit).clamp(0.0, 1.0);
                inside = if matches!(part, Part::Cut(_)) {
                    inside.min(1.0 - covered)
                } else {
                    inside.max(covered)
                };
            }
            coverage[y * size + x] = (inside * 255.0 + 0.5) as u8;
        }
    }
    Mask {
        width: size,
        height: size,
        coverage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_takes_away_and_the_rest_stays() {
        let mut icons = Icons::default();
        let gear = icons.get(Icon::Gear, 48);
        assert_eq!(gear.coverage[24 * 48 + 24], 0, "the hole");
        assert_eq!(gear.coverage[24 * 48 + 24 + 10], 255, "the wheel");
        assert_eq!(gear.coverage[0], 0, "outside");
    }
}
