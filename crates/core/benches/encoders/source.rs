//! Where frames come from: drawn pages with a fixed seed, or captured screens from a folder.

use std::path::Path;

use device_core::codec::testing::content::{Content, Motion};
use device_core::codec::testing::page::Rgb;
use device_core::codec::testing::rates::{self, Shot};

/// The seed of the drawn pages.
pub const SEED: u64 = 1;

/// A screen to measure on.
pub struct Screen {
    /// As "phone".
    pub name: &'static str,
    /// "drawn" or "captured".
    pub origin: &'static str,
    /// Its frames.
    pub content: Content,
}

impl Screen {
    /// "phone, drawn".
    pub fn label(&self) -> String {
        format!("{}, {}", self.name, self.origin)
    }

    /// Bits a second as dense as 8 Mbit/s on a phone, where the screen is smaller than one.
    pub fn rate(&self) -> u32 {
        let (width, height) = self.content.size();
        let share = (width * height) as f64 / (1080.0 * 2400.0);
        (8e6 * share.min(1.0)) as u32
    }

    /// Pictures of a motion.
    pub fn shots(&self, motion: Motion, count: usize) -> Vec<Shot> {
        rates::shots(&self.content, motion, count)
    }
}

/// A drawn screen.
pub fn drawn(name: &'static str, width: usize, height: usize) -> Screen {
    Screen {
        name,
        origin: "drawn",
        content: Content::drawn(width, height, SEED),
    }
}

/// The screens in `folder` of this size, in the order of their names; `None` when there are none.
pub fn captured(name: &'static str, folder: &Path, width: usize, height: usize) -> Option<Screen> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "png"))
        .collect();
    files.sort();
    let screens: Vec<Rgb> = files
        .iter()
        .filter_map(|file| read_png(file, width, height))
        .take(4)
        .collect();
    Some(Screen {
        name,
        origin: "captured",
        content: Content::captured(screens)?,
    })
}

fn read_png(file: &Path, width: usize, height: usize) -> Option<Rgb> {
    let mut decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).ok()?));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    if (reader.info().width as usize, reader.info().height as usize) != (width, height) {
        return None;
    }
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(info.buffer_size());
    let channels = info.color_type.samples();
    let data = pixels
        .chunks_exact(channels)
        .flat_map(|pixel| {
            if channels < 3 {
                [pixel[0]; 3]
            } else {
                [pixel[0], pixel[1], pixel[2]]
            }
        })
        .collect();
    Some(Rgb {
        width,
        height,
        data,
    })
}
