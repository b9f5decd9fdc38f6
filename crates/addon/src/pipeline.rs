//! The pipeline as a JavaScript class.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};

use device_core::codec::{self, Config};
use device_core::pipeline::{Opener, Pipeline as Core, Stats, StillError, Stills, SystemClock};
use device_core::png::{self, Png};
use napi::Task;
use napi::bindgen_prelude::{AsyncTask, Buffer, Env, Function, Result, Uint8Array, Unknown};
use napi_derive::napi;

use crate::outlet::{JsOutlet, MOST_UNITS};
use crate::values::{self, bit_rate, choice, small, whole, words};

const BITS_PER_SECOND: f64 = 8_000_000.0;
const QUEUE: f64 = 4.0;

/// Holds the pipeline until it is closed, collected, or the environment ends, whichever comes first.
struct Holder {
    core: Mutex<Option<Core>>,
    outlet: Arc<JsOutlet>,
    /// The last counters of a closed pipeline.
    stats: Mutex<Stats>,
}

impl Holder {
    fn lock(&self) -> MutexGuard<'_, Option<Core>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends and joins the threads.
    fn close(&self) {
        let core = self.lock().take();
        if let Some(mut core) = core {
            core.close();
            *self.stats.lock().unwrap_or_else(PoisonError::into_inner) = core.stats();
        }
    }
}

/// The live pipelines with their environments, and the environments that will close theirs.
#[derive(Default)]
struct Live {
    pipelines: Vec<(usize, Weak<Holder>)>,
    hooked: Vec<usize>,
}

static LIVE: Mutex<Live> = Mutex::new(Live {
    pipelines: Vec::new(),
    hooked: Vec::new(),
});
static AT_EXIT: Once = Once::new();

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that forgets `close()` still exits: the pipeline is closed when its environment ends (the
/// event loop ran dry, a worker was ended), or the process does (process.exit, an uncaught error).
fn close_at_the_end(env: Env, holder: &Arc<Holder>) -> Result<()> {
    AT_EXIT.call_once(|| {
        // SAFETY: the handler is a plain function that lives as long as the process; napi pins this library.
        // Without it (no memory) only the region's file would stay behind.
        let _ = unsafe { libc::atexit(close_all) };
    });
    let id = env.raw() as usize;
    let mut all = live();
    if !all.hooked.contains(&id) {
        env.add_env_cleanup_hook(id, close_of_environment)?;
        all.hooked.push(id);
    }
    all.pipelines
        .retain(|(_, pipeline)| pipeline.strong_count() > 0);
    all.pipelines.push((id, Arc::downgrade(holder)));
    Ok(())
}

fn close_of_environment(id: usize) {
    let mut all = live();
    all.hooked.retain(|hooked| *hooked != id);
    let (ended, rest) = std::mem::take(&mut all.pipelines)
        .into_iter()
        .partition(|(of, _)| *of == id);
    all.pipelines = rest;
    drop(all);
    for pipeline in ended
        .iter()
        .filter_map(|(_, pipeline): &(usize, Weak<Holder>)| pipeline.upgrade())
    {
        pipeline.close();
    }
}

extern "C" fn close_all() {
    let pipelines = std::mem::take(&mut live().pipelines);
    for pipeline in pipelines
        .iter()
        .filter_map(|(_, pipeline)| pipeline.upgrade())
    {
        // Not dropped: the functions into JavaScript may no longer be let go of now.
        if let Some(core) = pipeline.lock().as_mut() {
            core.close();
        }
    }
}

/// See `BindingPipeline` in binding.ts.
#[napi]
pub struct Pipeline {
    holder: Arc<Holder>,
}

#[napi]
impl Pipeline {
    /// Starts the threads; nothing is encoded before `streaming(true)`.
    ///
    /// # Errors
    /// In words, when an option makes no sense or the system gives no thread.
    #[napi(constructor)]
    pub fn new(
        env: Env,
        options: values::Options,
        on_unit: Function<'_, values::Unit, Unknown<'static>>,
        on_event: Function<'_, values::Event, Unknown<'static>>,
    ) -> Result<Self> {
        let queue =
            whole("queue", options.queue.unwrap_or(QUEUE), MOST_UNITS as f64)?.max(1.0) as usize;
        let bits = bit_rate(options.bits_per_second.unwrap_or(BITS_PER_SECOND))?;
        let choice = choice(options.encoder.as_deref())?;
        let openh264_path = options.openh264_path.map(PathBuf::from);
        let opener: Opener = Box::new(move |width, height, bits_per_second| {
            let config = Config {
                bits_per_second,
                openh264_path: openh264_path.clone(),
                ..Config::new(width, height)
            };
            codec::open(choice, &config)
        });
        let outlet = Arc::new(JsOutlet::new(&env, queue, &on_unit, &on_event)?);
        let core = Core::start(
            bits,
            opener,
            Arc::new(SystemClock),
            Arc::clone(&outlet) as _,
        )
        .map_err(|why| words(format!("the screen's threads could not be started: {why}")))?;
        outlet.wake_by(core.waker());
        let holder = Arc::new(Holder {
            core: Mutex::new(Some(core)),
            outlet,
            stats: Mutex::default(),
        });
        close_at_the_end(env, &holder)?;
        Ok(Self { holder })
    }

    fn with<T>(&self, act: impl FnOnce(&Core) -> Result<T>) -> Result<T> {
        act(self
            .holder
            .lock()
            .as_ref()
            .ok_or_else(|| words(StillError::Closed.to_string()))?)
    }

    /// Makes the file: exclusive, 0600, sized once.
    ///
    /// # Errors
    /// In words, when the path exists or does not fit.
    #[napi]
    pub fn create_region(&self, path: String, bytes: f64) -> Result<()> {
        let bytes = small("bytes", bytes)? as usize;
        self.with(|core| {
            core.create_region(Path::new(&path), bytes)
                .map_err(|why| words(why.to_string()))
        })
    }

    /// A frame is whole in the region.
    ///
    /// # Errors
    /// In words, when it does not fit.
    #[napi]
    pub fn notify(&self, frame: values::Frame) -> Result<()> {
        let notice = frame.notice()?;
        self.with(|core| core.notify(notice).map_err(|why| words(why.to_string())))
    }

    /// A frame in hand; copied before this returns.
    ///
    /// # Errors
    /// In words, when there are too few bytes.
    #[napi]
    pub fn push(&self, frame: values::Frame, pixels: Uint8Array) -> Result<()> {
        let notice = frame.notice()?;
        self.with(|core| {
            core.push(notice, &pixels)
                .map_err(|why| words(why.to_string()))
        })
    }

    /// The next unit is an IDR. After `close()` nothing.
    #[napi]
    pub fn keyframe(&self) {
        if let Some(core) = self.holder.lock().as_ref() {
            core.keyframe();
        }
    }

    /// Off: nothing is encoded, change detection goes on. After `close()` nothing.
    #[napi]
    pub fn streaming(&self, on: bool) {
        if let Some(core) = self.holder.lock().as_ref() {
            core.streaming(on);
        }
    }

    /// Bits a second.
    ///
    /// # Errors
    /// In words, when the number makes no sense.
    #[napi]
    pub fn set_bitrate(&self, bits_per_second: f64) -> Result<()> {
        let bits = bit_rate(bits_per_second)?;
        if let Some(core) = self.holder.lock().as_ref() {
            core.set_bitrate(bits);
        }
        Ok(())
    }

    /// PNG of the newest picture.
    ///
    /// # Errors
    /// In words, when the edge makes no sense or it is closed.
    #[napi]
    pub fn still(&self, longest_edge: Option<f64>) -> Result<AsyncTask<StillTask>> {
        self.still_task(false, longest_edge)
    }

    /// PNG of the region's own RGB.
    ///
    /// # Errors
    /// In words, when the edge makes no sense or it is closed.
    #[napi]
    pub fn screenshot(&self, longest_edge: Option<f64>) -> Result<AsyncTask<StillTask>> {
        self.still_task(true, longest_edge)
    }

    fn still_task(&self, region: bool, longest_edge: Option<f64>) -> Result<AsyncTask<StillTask>> {
        let longest_edge = longest_edge
            .map(|edge| small("longestEdge", edge))
            .transpose()?;
        let stills = self.with(|core| Ok(core.stills()))?;
        Ok(AsyncTask::new(StillTask {
            stills,
            region,
            longest_edge,
        }))
    }

    /// The open encoder.
    #[napi]
    #[must_use]
    pub fn encoder(&self) -> Option<values::Encoder> {
        let (name, version) = self.holder.lock().as_ref()?.encoder()?;
        Some(values::Encoder { name, version })
    }

    /// Counters since the start; after `close()` the last ones.
    #[napi]
    #[must_use]
    pub fn stats(&self) -> values::StatsValue {
        let live = self.holder.lock().as_ref().map(Core::stats);
        live.unwrap_or_else(|| {
            *self
                .holder
                .stats
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        })
        .into()
    }

    /// Joins the threads off JavaScript's, closes the encoder, removes the region's file.
    #[napi]
    #[must_use]
    pub fn close(&self) -> AsyncTask<CloseTask> {
        AsyncTask::new(CloseTask {
            holder: Arc::clone(&self.holder),
        })
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.holder.lock().is_some() {
            // Collected without close(): joined on a thread of its own, since the collector must not wait.
            let holder = Arc::clone(&self.holder);
            let closer = std::thread::Builder::new().name("device-close".to_owned());
            if closer.spawn(move || holder.close()).is_err() {
                self.holder.close();
            }
        }
    }
}

/// Makes a still on a thread of Node's pool.
pub struct StillTask {
    stills: Stills,
    region: bool,
    longest_edge: Option<u32>,
}

impl Task for StillTask {
    type Output = (Png, u32);
    type JsValue = values::Still;

    fn compute(&mut self) -> Result<Self::Output> {
        let failed = |why: &dyn std::fmt::Display| words(why.to_string());
        let (png, generation) = if self.region {
            let still = self.stills.region().map_err(|why| failed(&why))?;
            (
                png::from_region(&still, self.longest_edge),
                still.generation,
            )
        } else {
            let still = self.stills.newest().map_err(|why| failed(&why))?;
            (
                png::from_picture(&still, self.longest_edge),
                still.generation,
            )
        };
        Ok((png.map_err(|why| failed(&why))?, generation))
    }

    fn resolve(&mut self, _env: Env, (png, generation): Self::Output) -> Result<Self::JsValue> {
        Ok(values::Still {
            png: Buffer::from(png.data),
            width: png.width,
            height: png.height,
            generation,
        })
    }
}

/// Closes on a thread of Node's pool.
pub struct CloseTask {
    holder: Arc<Holder>,
}

impl Task for CloseTask {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> Result<Self::Output> {
        self.holder.close();
        Ok(())
    }

    /// Who awaits the close hears nothing after it.
    fn resolve(&mut self, _env: Env, _output: Self::Output) -> Result<Self::JsValue> {
        self.holder.outlet.silence();
        Ok(())
    }
}
