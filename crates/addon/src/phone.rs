//! The test phone's class. ts/drivers/phone/process owns its clock, its socket and its log.

use std::path::Path;

use device_core::phone::Phone as Drawn;
use device_core::phone::state::Scene;
use device_core::phone::touch::Contact;
use device_core::pipeline::RgbStill;
use device_core::png::{self, Png};
use napi::bindgen_prelude::{Buffer, PromiseRaw, Result};
use napi::{Env, Task};
use napi_derive::napi;

use crate::values::{small, words};

/// What a new phone is.
#[napi(object)]
pub struct PhoneOptions {
    /// "Test device", "Test foldable", or a size such as "720x1280".
    pub model: String,
    /// demo, still or busy.
    pub scene: String,
    /// Wall clock for the status bar, in ms.
    pub wall_ms: f64,
}

/// A size in pixels.
#[napi(object)]
pub struct PhoneSize {
    /// Pixels.
    pub width: i32,
    /// Pixels.
    pub height: i32,
}

/// A phone's logic and drawing.
#[napi]
pub struct Phone {
    drawn: Drawn,
}

#[napi]
impl Phone {
    /// A phone that has just been switched on.
    ///
    /// # Errors
    /// In words, for an unknown model or scene.
    #[napi(constructor)]
    pub fn new(options: PhoneOptions) -> Result<Self> {
        let scene = match options.scene.as_str() {
            "demo" => Scene::Demo,
            "still" => Scene::Still,
            "busy" => Scene::Busy,
            other => {
                return Err(words(format!(
                    "A scene is demo, still or busy, not {other}."
                )));
            }
        };
        let drawn = Drawn::new(&options.model, scene, options.wall_ms).map_err(words)?;
        Ok(Self { drawn })
    }

    /// Draws into this client's region from now on.
    ///
    /// # Errors
    /// In words, when it cannot be mapped or is too small.
    #[napi]
    pub fn open_region(&mut self, path: String, bytes: f64) -> Result<()> {
        self.drawn
            .open_region(Path::new(&path), bytes as usize)
            .map_err(words)
    }

    /// Draws into no region.
    #[napi]
    pub fn close_region(&mut self) {
        self.drawn.close_region();
    }

    /// The picture's size; 0 x 0 while the screen is off.
    #[napi]
    pub fn size(&self) -> PhoneSize {
        let (width, height) = self.drawn.size();
        PhoneSize { width, height }
    }

    /// Moves animations to this monotonic time. True: the picture differs from what is drawn.
    #[napi]
    pub fn advance(&mut self, now_ms: f64, wall_ms: f64) -> bool {
        self.drawn.advance(now_ms, wall_ms)
    }

    /// When `advance` has something to do next: 0 at the next frame, else a monotonic time, or null.
    #[napi]
    pub fn next_ms(&self) -> Option<f64> {
        self.drawn.next_ms()
    }

    /// Draws what differs into the region.
    ///
    /// # Errors
    /// In words, when the region has gone bad.
    #[napi]
    pub fn draw(&mut self) -> Result<()> {
        self.drawn.draw().map_err(words)
    }

    /// The screen as PNG, drawn apart from the region at this moment; its size in pixels comes with it.
    ///
    /// # Errors
    /// In words, while the screen is off and when the edge makes no sense.
    #[napi]
    pub fn screenshot<'env>(
        &mut self,
        env: &'env Env,
        longest_edge: Option<f64>,
    ) -> Result<PromiseRaw<'env, Picture>> {
        let longest_edge = longest_edge
            .map(|edge| small("longestEdge", edge))
            .transpose()?;
        let still = self.drawn.still().ok_or_else(|| {
            words("The screen is off, so there is nothing to picture. Wake the device first.")
        })?;
        // An AsyncTask as the answer would keep this phone borrowed until the file is made, and refuse every touch meanwhile.
        let task = env.spawn(PictureTask {
            still,
            longest_edge,
        })?;
        Ok(task.promise_object())
    }

    /// Every contact now down, as JSON, in the natural panel's space.
    ///
    /// # Errors
    /// In words, when it is not a list of contacts.
    #[napi]
    pub fn touch(&mut self, contacts_json: String, now_ms: f64) -> Result<()> {
        let contacts: Vec<Contact> = serde_json::from_str(&contacts_json)
            .map_err(|why| words(format!("These are no contacts: {why}.")))?;
        self.drawn.touch(&contacts, now_ms);
        Ok(())
    }

    /// A key by its W3C name.
    #[napi]
    pub fn key(&mut self, key: String, down: bool, now_ms: f64) {
        self.drawn.key(&key, down, now_ms);
    }

    /// One request as JSON; answers JSON.
    ///
    /// # Errors
    /// In words, when the phone refuses it.
    #[napi]
    pub fn command(&mut self, json: String, now_ms: f64) -> Result<String> {
        self.drawn.command(&json, now_ms).map_err(words)
    }

    /// The elements on the screen, as JSON.
    ///
    /// # Errors
    /// Never for elements made by the phone.
    #[napi]
    pub fn tree(&self) -> Result<String> {
        serde_json::to_string(self.drawn.tree()).map_err(|why| words(why.to_string()))
    }

    /// What the phone is and does now, as JSON.
    #[napi]
    pub fn state(&self) -> String {
        self.drawn.state()
    }
}

/// A phone's own screenshot.
#[napi(object, js_name = "BindingPicture", object_from_js = false)]
pub struct Picture {
    pub png: Buffer,
    pub width: u32,
    pub height: u32,
}

/// Packs a picture on a thread of Node's pool, so that the phone goes on drawing.
pub struct PictureTask {
    still: RgbStill,
    longest_edge: Option<u32>,
}

impl Task for PictureTask {
    type Output = Png;
    type JsValue = Picture;

    fn compute(&mut self) -> Result<Self::Output> {
        png::from_region(&self.still, self.longest_edge).map_err(|why| words(why.to_string()))
    }

    fn resolve(&mut self, _env: Env, png: Self::Output) -> Result<Self::JsValue> {
        Ok(Picture {
            png: Buffer::from(png.data),
            width: png.width,
            height: png.height,
        })
    }
}
