//! A pipeline over a clock that stands still, with an encoder that obeys and an outlet that counts.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::codec::{Ask, CodecError, Encoded, Encoder, Unit};
use crate::frames::{Layout, Picture, PixelFormat};
use crate::pipeline::{
    Clock, Event, FrameNotice, Full, ManualClock, Opener, Outlet, Pipeline, Stamped,
};

/// A wait that ends a hung test; nothing passes or fails by its length.
const HUNG: Duration = Duration::from_secs(20);

/// What the next encoder does.
#[derive(Default)]
pub struct Orders {
    pub fail_opens: AtomicU32,
    pub fail_encodes: AtomicU32,
    pub panics: AtomicU32,
    pub skips: AtomicU32,
    /// Refinements still wanted.
    pub refine: AtomicU32,
    /// How far an encode moves the clock.
    pub encode_us: AtomicU64,
    pub opened: AtomicU32,
    pub closed: AtomicU32,
    pub bits: AtomicU32,
    pub load_step: AtomicU32,
    pub asks: Mutex<Vec<Ask>>,
    gate: Mutex<Gate>,
    gate_moved: Condvar,
}

#[derive(Default)]
struct Gate {
    shut: bool,
    waiting: bool,
    /// Encodes that may pass a shut gate.
    passes: u32,
}

impl Orders {
    /// From now on an encode waits inside.
    pub fn shut(&self) {
        self.gate.lock().expect("a gate").shut = true;
    }

    pub fn open(&self) {
        self.gate.lock().expect("a gate").shut = false;
        self.gate_moved.notify_all();
    }

    /// Lets the encode that waits inside go, and shuts behind it.
    pub fn once(&self) {
        let mut gate = self.gate.lock().expect("a gate");
        (gate.passes, gate.waiting) = (1, false);
        drop(gate);
        self.gate_moved.notify_all();
    }

    /// Until an encode waits inside.
    pub fn until_inside(&self) {
        let gate = self.gate.lock().expect("a gate");
        let (gate, _) = self
            .gate_moved
            .wait_timeout_while(gate, HUNG, |gate| !gate.waiting)
            .expect("a gate");
        assert!(gate.waiting, "no encode came");
    }

    fn pass(&self) {
        let mut gate = self.gate.lock().expect("a gate");
        while gate.shut && gate.passes == 0 {
            gate.waiting = true;
            self.gate_moved.notify_all();
            gate = self.gate_moved.wait(gate).expect("a gate");
        }
        gate.passes = gate.passes.saturating_sub(1);
        gate.waiting = false;
    }
}

fn spend(counter: &AtomicU32) -> bool {
    counter
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        })
        .is_ok()
}

struct Obedient {
    orders: Arc<Orders>,
    clock: Arc<ManualClock>,
    first: bool,
}

impl Encoder for Obedient {
    fn name(&self) -> &str {
        "obedient"
    }

    fn version(&self) -> &str {
        "1"
    }

    /// The unit is the picture's first luma byte, so that a test sees which picture it was.
    fn encode(&mut self, picture: &Picture, ask: Ask) -> Result<Encoded, CodecError> {
        self.orders.pass();
        self.clock.advance(Duration::from_micros(
            self.orders.encode_us.load(Ordering::SeqCst),
        ));
        self.orders.asks.lock().expect("asks").push(ask);
        assert!(!spend(&self.orders.panics), "ordered to panic");
        if spend(&self.orders.fail_encodes) {
            return Err(CodecError::Encode("ordered to fail".to_owned()));
        }
        if spend(&self.orders.skips) {
            return Ok(Encoded::Skipped);
        }
        if ask.refine {
            spend(&self.orders.refine);
        }
        let key = ask.key || std::mem::take(&mut self.first);
        Ok(Encoded::Unit(Unit {
            data: vec![picture.planes().0[0]],
            key,
        }))
    }

    fn set_bitrate(&mut self, bits_per_second: u32) {
        self.orders.bits.store(bits_per_second, Ordering::SeqCst);
    }

    fn set_load_step(&mut self, step: u8) {
        self.orders
            .load_step
            .store(u32::from(step), Ordering::SeqCst);
    }

    fn wants_refinement(&self) -> bool {
        self.orders.refine.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Obedient {
    fn drop(&mut self) {
        self.orders.closed.fetch_add(1, Ordering::SeqCst);
    }
}

struct Ends {
    units: Sender<Stamped>,
    events: Sender<Event>,
    room: AtomicBool,
    /// Refuses this many units although there seemed to be room.
    refuse: AtomicU32,
}

impl Outlet for Ends {
    fn unit(&self, unit: Stamped) -> Result<(), Full> {
        if spend(&self.refuse) {
            self.room.store(false, Ordering::SeqCst);
            return Err(Full);
        }
        // A test that has seen enough has dropped its end.
        let _ = self.units.send(unit);
        Ok(())
    }

    fn room(&self) -> bool {
        self.room.load(Ordering::SeqCst)
    }

    fn event(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

pub struct Rig {
    pub pipeline: Pipeline,
    pub clock: Arc<ManualClock>,
    pub orders: Arc<Orders>,
    pub units: Receiver<Stamped>,
    pub events: Receiver<Event>,
    ends: Arc<Ends>,
    seq: AtomicU64,
}

pub const BITS: u32 = 8_000_000;
pub const SHAPE: Layout = Layout {
    width: 64,
    height: 64,
    format: PixelFormat::Rgb888,
    bottom_up: false,
};

impl Rig {
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::at(1_000_000_000));
        let orders = Arc::new(Orders::default());
        let (units_in, units) = channel();
        let (events_in, events) = channel();
        let ends = Arc::new(Ends {
            units: units_in,
            events: events_in,
            room: AtomicBool::new(true),
            refuse: AtomicU32::new(0),
        });
        let (held, obeyed) = (Arc::clone(&clock), Arc::clone(&orders));
        let opener: Opener = Box::new(move |_, _, bits| {
            obeyed.opened.fetch_add(1, Ordering::SeqCst);
            if spend(&obeyed.fail_opens) {
                return Err(CodecError::Open("ordered not to open".to_owned()));
            }
            obeyed.bits.store(bits, Ordering::SeqCst);
            Ok(Box::new(Obedient {
                orders: Arc::clone(&obeyed),
                clock: Arc::clone(&held),
                first: true,
            }))
        });
        let pipeline = Pipeline::start(
            BITS,
            opener,
            Arc::clone(&clock) as _,
            Arc::clone(&ends) as _,
        )
        .expect("threads");
        Self {
            pipeline,
            clock,
            orders,
            units,
            events,
            ends,
            seq: AtomicU64::new(0),
        }
    }

    /// Streaming, with the first key frame of grey 10 behind it.
    pub fn streaming() -> Self {
        let rig = Self::new();
        rig.pipeline.streaming(true);
        rig.show(10);
        assert!(rig.unit().unit.key);
        rig
    }

    pub fn notice(&self, layout: Layout, generation: u32) -> FrameNotice {
        let seq = self.seq.fetch_add(1, Ordering::SeqCst) + 1;
        FrameNotice {
            layout,
            generation,
            seq,
            capture_us: self.clock.now_us(),
        }
    }

    /// Pushes a frame of one grey.
    pub fn show(&self, grey: u8) {
        self.show_in(SHAPE, 1, grey);
    }

    pub fn show_in(&self, layout: Layout, generation: u32, grey: u8) {
        let pixels = vec![grey; layout.bytes().expect("a size")];
        self.pipeline
            .push(self.notice(layout, generation), &pixels)
            .expect("a frame");
    }

    pub fn unit(&self) -> Stamped {
        self.units.recv_timeout(HUNG).expect("a unit")
    }

    /// Until the threads have nothing to do that they could do now.
    pub fn settle(&self) {
        self.until(|| {
            let stats = self.pipeline.stats();
            let settled = self.pipeline.idle();
            settled && self.pipeline.stats() == stats
        });
    }

    pub fn no_unit(&self) {
        self.settle();
        assert!(
            self.units.try_recv().is_err(),
            "a unit that nobody asked for"
        );
    }

    pub fn until(&self, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(
                start.elapsed() < HUNG,
                "it never came: {:?}",
                self.pipeline.stats()
            );
            std::thread::yield_now();
        }
    }

    pub fn advance(&self, ms: u64) {
        self.clock.advance(Duration::from_millis(ms));
        self.pipeline.wake();
    }

    pub fn refuse(&self, units: u32) {
        self.ends.refuse.store(units, Ordering::SeqCst);
    }

    pub fn make_room(&self) {
        self.ends.room.store(true, Ordering::SeqCst);
        self.pipeline.wake();
    }

    pub fn told(&self) -> Vec<Event> {
        self.settle();
        self.events.try_iter().collect()
    }

    /// Until so many changes have been told.
    pub fn until_changed(&self, mut changes: u32) {
        while changes > 0 {
            let event = self.events.recv_timeout(HUNG).expect("an event");
            changes -= u32::from(matches!(event, Event::Changed { .. }));
        }
    }

    pub fn changes(&self) -> usize {
        self.told()
            .iter()
            .filter(|event| matches!(event, Event::Changed { .. }))
            .count()
    }

    pub fn asks(&self) -> Vec<Ask> {
        self.orders.asks.lock().expect("asks").clone()
    }
}

/// The luma of a grey.
pub fn luma(grey: u8) -> u8 {
    ((u32::from(grey) * 220 + 4224) >> 8) as u8
}

/// A free path for a region.
pub fn region_path(name: &str) -> PathBuf {
    let shm = PathBuf::from("/dev/shm");
    let folder = if shm.is_dir() {
        shm
    } else {
        std::env::temp_dir()
    };
    folder.join(format!("device-core-{name}-{}", std::process::id()))
}
