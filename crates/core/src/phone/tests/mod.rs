//! The phone as a whole: what a finger reaches is what is drawn and what the tree says.

mod screens;
mod settings;
mod storm;
mod text;

use super::*;

const WALL: f64 = 1_796_030_700_000.0;

struct Rig {
    phone: Phone,
    now: f64,
}

impl Rig {
    fn new(model: &str) -> Self {
        let phone = Phone::new(model, Scene::Demo, WALL).unwrap();
        Self {
            phone,
            now: 1_000.0,
        }
    }

    fn run(&mut self, command: &str) -> String {
        self.phone.command(command, self.now).unwrap()
    }

    fn control(&mut self, control: &str) {
        self.run(&format!(r#"{{"do":"control","control":{control}}}"#));
    }

    fn open(&mut self, page: &str) {
        self.run(&format!(r#"{{"do":"open","url":"bb-test://{page}"}}"#));
        self.settle();
    }

    fn pass(&mut self, ms: f64) -> bool {
        self.now += ms;
        self.phone.advance(self.now, WALL)
    }

    /// Until nothing moves any more; drawn.
    fn settle(&mut self) {
        for _ in 0..400 {
            self.pass(16.0);
            if !self.phone.frame.moving {
                break;
            }
        }
        self.phone.draw().unwrap();
    }

    fn find(&self, id: &str) -> Option<&Element> {
        fn search<'a>(elements: &'a [Element], id: &str) -> Option<&'a Element> {
            elements.iter().find_map(|element| {
                if element.identifier.as_deref() == Some(id) {
                    Some(element)
                } else {
                    search(&element.children, id)
                }
            })
        }
        search(self.phone.tree(), id)
    }

    fn value(&self, id: &str) -> String {
        self.find(id)
            .and_then(|element| element.value.clone())
            .unwrap_or_else(|| panic!("no {id}"))
    }

    /// From the picture to the natural panel, as a driver does it.
    fn panel(&self, x: f32, y: f32) -> (f32, f32) {
        let state = &self.phone.state;
        let (w, h) = (state.size().0 as f32, state.size().1 as f32);
        let (u, v) = ((x + 0.5) / w, (y + 0.5) / h);
        let (u, v) = match state.saved.orientation {
            geom::Orientation::Upright => (u, v),
            geom::Orientation::TurnedLeft => (1.0 - v, u),
            geom::Orientation::UpsideDown => (1.0 - u, 1.0 - v),
            geom::Orientation::TurnedRight => (v, 1.0 - u),
        };
        let sensor = state.model.touch_panel();
        (u * sensor.0 as f32 - 0.5, v * sensor.1 as f32 - 0.5)
    }

    fn down(&mut self, points: &[(f32, f32)]) {
        let contacts: Vec<Contact> = (0u8..)
            .zip(points)
            .map(|(id, at)| {
                let (x, y) = self.panel(at.0, at.1);
                Contact { id, x, y }
            })
            .collect();
        self.phone.touch(&contacts, self.now);
    }

    fn tap_at(&mut self, x: f32, y: f32) {
        self.down(&[(x, y)]);
        self.pass(40.0);
        self.phone.touch(&[], self.now);
    }

    fn tap(&mut self, id: &str) {
        let frame = self.find(id).unwrap_or_else(|| panic!("no {id}")).frame;
        self.tap_at(
            (frame.x + frame.w / 2) as f32,
            (frame.y + frame.h / 2) as f32,
        );
        self.settle();
    }

    fn swipe(&mut self, from: (f32, f32), to: (f32, f32), ms: f64) {
        let steps = (ms / 8.0) as i32;
        self.down(&[from]);
        for step in 1..=steps {
            self.pass(8.0);
            let t = step as f32 / steps as f32;
            self.down(&[(from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t)]);
        }
        self.phone.touch(&[], self.now);
    }

    fn scrolled(&self, page: &state::Page) -> i32 {
        self.phone.state.scrolls[page].at(self.now, 1e9).0.round() as i32
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let key = if c == '\n' {
                "Enter".to_owned()
            } else {
                c.to_string()
            };
            self.phone.key(&key, true, self.now);
            self.phone.key(&key, false, self.now);
        }
    }
}
