//! Frames cost no allocation once the pipeline runs, and at most two pictures are ever alive.
//!
//! A test of its own binary: the allocator below counts for the whole process.

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use device_core::codec::{Ask, CodecError, Encoded, Encoder, Unit};
use device_core::frames::{Layout, Picture, PixelFormat, RegionWriter};
use device_core::pipeline::{
    Event, FrameNotice, Full, Opener, Outlet, Pipeline, Stamped, SystemClock,
};

const WIDTH: u32 = 270;
const HEIGHT: u32 = 600;
const LUMA: usize = (WIDTH * HEIGHT) as usize;

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static PICTURES: AtomicUsize = AtomicUsize::new(0);
static MOST_PICTURES: AtomicUsize = AtomicUsize::new(0);

fn came(bytes: usize) {
    CALLS.fetch_add(1, Ordering::SeqCst);
    if bytes >= LUMA {
        MOST_PICTURES.fetch_max(
            PICTURES.fetch_add(1, Ordering::SeqCst) + 1,
            Ordering::SeqCst,
        );
    }
}

// SAFETY: hands every call to the system's allocator unchanged; counting touches atomics only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        came(memory.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(memory) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, memory: Memory) {
        if memory.size() >= LUMA {
            PICTURES.fetch_sub(1, Ordering::SeqCst);
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Encodes to nothing: what a real encoder allocates is its own affair.
struct Nothing;

impl Encoder for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn version(&self) -> &str {
        "0"
    }

    fn encode(&mut self, _picture: &Picture, ask: Ask) -> Result<Encoded, CodecError> {
        Ok(Encoded::Unit(Unit {
            data: Vec::new(),
            key: ask.key,
        }))
    }

    fn set_bitrate(&mut self, _bits_per_second: u32) {}

    fn set_load_step(&mut self, _step: u8) {}

    fn wants_refinement(&self) -> bool {
        false
    }
}

#[derive(Default)]
struct Counts {
    units: AtomicU64,
    changed: AtomicU64,
    failed: AtomicBool,
}

impl Outlet for Counts {
    fn unit(&self, _unit: Stamped) -> Result<(), Full> {
        self.units.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn room(&self) -> bool {
        true
    }

    fn event(&self, event: Event) {
        match event {
            Event::Changed { .. } => {
                self.changed.fetch_add(1, Ordering::SeqCst);
            }
            Event::Encoder { .. } => {}
            Event::EncoderFailed { .. } | Event::RegionFailed { .. } => {
                self.failed.store(true, Ordering::SeqCst)
            }
        }
    }
}

#[test]
fn four_hundred_frames_allocate_nothing_and_two_pictures_are_all_there_are() {
    let layout = Layout {
        width: WIDTH,
        height: HEIGHT,
        format: PixelFormat::Rgb888,
        bottom_up: false,
    };
    let bytes = layout.bytes().expect("a size");
    let counts = Arc::new(Counts::default());
    let opener: Opener = Box::new(|_, _, _| Ok(Box::new(Nothing)));
    let mut pipeline = Pipeline::start(
        8_000_000,
        opener,
        Arc::new(SystemClock),
        Arc::clone(&counts) as _,
    )
    .expect("threads");
    let path = std::env::temp_dir().join(format!("device-core-allocations-{}", std::process::id()));
    pipeline.create_region(&path, bytes).expect("a region");
    let writer = RegionWriter::open(&path, bytes).expect("a writer");
    pipeline.streaming(true);

    let row = vec![0_u8; layout.row_bytes()];
    let mut lines = [row.clone(), row.clone(), row];
    for (number, line) in lines.iter_mut().enumerate() {
        line.fill(number as u8 * 90);
    }
    let show = |frame: u64| {
        // Some rows change in every frame; every fourth is a scroll of the whole page.
        let first = if frame.is_multiple_of(4) {
            0
        } else {
            frame as usize % 1000
        };
        for at in first..(first + 100).min(HEIGHT as usize) {
            let line = &lines[(at + frame as usize) % 3];
            writer
                .write(at * layout.row_bytes(), line)
                .expect("it fits");
        }
        let notice = FrameNotice {
            layout,
            generation: 1,
            seq: frame,
            capture_us: frame,
        };
        pipeline.notify(notice).expect("a notice");
        while !pipeline.idle() {
            std::thread::yield_now();
        }
    };
    for frame in 0..20 {
        show(frame);
    }
    let before = CALLS.load(Ordering::SeqCst);
    for frame in 20..420 {
        show(frame);
    }
    assert_eq!(
        CALLS.load(Ordering::SeqCst) - before,
        0,
        "allocations in 400 frames"
    );
    assert!(counts.units.load(Ordering::SeqCst) > 300);
    assert!(!counts.failed.load(Ordering::SeqCst));
    assert!(
        MOST_PICTURES.load(Ordering::SeqCst) <= 2,
        "pictures alive at once"
    );

    // Turned a few times: the same memory is used again where it is enough.
    for generation in 2..8 {
        let turned = if generation % 2 == 0 {
            Layout {
                width: HEIGHT,
                height: WIDTH,
                ..layout
            }
        } else {
            layout
        };
        let notice = FrameNotice {
            layout: turned,
            generation,
            seq: 0,
            capture_us: 0,
        };
        pipeline.notify(notice).expect("a notice");
        while !pipeline.idle() {
            std::thread::yield_now();
        }
    }
    assert!(
        MOST_PICTURES.load(Ordering::SeqCst) <= 2,
        "pictures alive at once, also after turns"
    );
    pipeline.close();
}
