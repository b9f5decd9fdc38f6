//! From the pipeline's threads to JavaScript's: bounded, weak, never waiting.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use device_core::pipeline::{Clock, Event, Full, Outlet, Stamped, SystemClock, Waker};
use napi::bindgen_prelude::{
    Buffer, FromNapiValue, Function, FunctionCallContext, JsValuesTupleIntoVec, Result, Status,
    Unknown,
};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, JsValue};

use crate::values::{self, us_to_ms};

/// Units that may ever wait for JavaScript; the option chooses at most this.
pub const MOST_UNITS: usize = 16;
/// Events that may wait; "changed" takes one place at most.
const MOST_EVENTS: usize = 64;

type UnitFunction =
    ThreadsafeFunction<Stamped, Unknown<'static>, values::Unit, Status, false, true, MOST_UNITS>;
type EventFunction =
    ThreadsafeFunction<Event, Unknown<'static>, values::Event, Status, false, true, MOST_EVENTS>;

/// What both sides count.
#[derive(Default)]
struct Waiting {
    units: AtomicUsize,
    /// The newest change, and whether a "changed" event is on its way to tell it.
    changed_us: AtomicU64,
    changed_told: AtomicBool,
    waker: OnceLock<Waker>,
}

/// The JavaScript functions of one pipeline.
pub struct JsOutlet {
    queue: usize,
    waiting: Arc<Waiting>,
    closed: AtomicBool,
    /// JavaScript is to hear nothing more, whatever still waits for it.
    silent: Arc<AtomicBool>,
    on_unit: UnitFunction,
    on_event: EventFunction,
}

impl JsOutlet {
    /// Over two functions; on JavaScript's thread.
    pub fn new(
        env: &Env,
        queue: usize,
        on_unit: &Function<'_, values::Unit, Unknown<'static>>,
        on_event: &Function<'_, values::Event, Unknown<'static>>,
    ) -> Result<Self> {
        let waiting = Arc::new(Waiting::default());
        let silent = Arc::new(AtomicBool::new(false));
        let on_unit = gated(env, on_unit, &silent)?;
        let on_event = gated(env, on_event, &silent)?;
        let counted = Arc::clone(&waiting);
        let on_unit = on_unit
            .build_threadsafe_function::<Stamped>()
            .weak::<true>()
            .max_queue_size::<MOST_UNITS>()
            .build_callback(move |context| {
                if counted.units.fetch_sub(1, Ordering::AcqRel) >= queue
                    && let Some(waker) = counted.waker.get()
                {
                    waker.wake();
                }
                Ok(unit(context.value))
            })?;
        let told = Arc::clone(&waiting);
        let on_event = on_event
            .build_threadsafe_function::<Event>()
            .weak::<true>()
            .max_queue_size::<MOST_EVENTS>()
            .build_callback(move |context| {
                if matches!(context.value, Event::Changed { .. }) {
                    told.changed_told.store(false, Ordering::SeqCst);
                    return Ok(event(Event::Changed {
                        at_us: told.changed_us.load(Ordering::SeqCst),
                    }));
                }
                Ok(event(context.value))
            })?;
        Ok(Self {
            queue,
            waiting,
            closed: AtomicBool::new(false),
            silent,
            on_unit,
            on_event,
        })
    }

    /// From here on JavaScript hears nothing; on its own thread.
    pub fn silence(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }

    /// Who is woken when JavaScript has made room.
    pub fn wake_by(&self, waker: Waker) {
        // Set once, by the one pipeline that this outlet belongs to.
        let _ = self.waiting.waker.set(waker);
    }
}

/// The function, until it is silenced: what waits in a thread-safe function's queue is called whatever becomes of its threads.
fn gated<'env, Args: JsValuesTupleIntoVec>(
    env: &'env Env,
    function: &Function<'_, Args, Unknown<'static>>,
    silent: &Arc<AtomicBool>,
) -> Result<Function<'env, Args, Unknown<'static>>> {
    // SAFETY: the value is the function itself, alive in this call's scope.
    let untyped: Function<'_, Unknown<'_>, Unknown<'static>> =
        unsafe { Function::from_napi_value(env.raw(), function.raw()) }?;
    let held = untyped.create_ref()?;
    let silent = Arc::clone(silent);
    let gate = env.create_function_from_closure::<Args, (), _>(
        "deliver",
        move |call: FunctionCallContext| {
            if silent.load(Ordering::Relaxed) {
                return Ok(());
            }
            held.borrow_back(call.env)?.call(call.get::<Unknown>(0)?)?;
            Ok(())
        },
    )?;
    // SAFETY: as above; what it returns is nobody's.
    unsafe { Function::from_napi_value(env.raw(), gate.raw()) }
}

impl Outlet for JsOutlet {
    fn unit(&self, unit: Stamped) -> std::result::Result<(), Full> {
        if !self.room() {
            return Err(Full);
        }
        self.waiting.units.fetch_add(1, Ordering::AcqRel);
        match self
            .on_unit
            .call(unit, ThreadsafeFunctionCallMode::NonBlocking)
        {
            Status::Ok => Ok(()),
            status => {
                self.waiting.units.fetch_sub(1, Ordering::AcqRel);
                self.closed
                    .fetch_or(status == Status::Closing, Ordering::Relaxed);
                Err(Full)
            }
        }
    }

    fn room(&self) -> bool {
        !self.closed.load(Ordering::Relaxed)
            && self.waiting.units.load(Ordering::Acquire) < self.queue
    }

    fn event(&self, event: Event) {
        if let Event::Changed { at_us } = event {
            self.waiting.changed_us.store(at_us, Ordering::SeqCst);
            if self.waiting.changed_told.swap(true, Ordering::SeqCst) {
                return;
            }
        }
        let changed = matches!(event, Event::Changed { .. });
        let status = self
            .on_event
            .call(event, ThreadsafeFunctionCallMode::NonBlocking);
        if status != Status::Ok && changed {
            self.waiting.changed_told.store(false, Ordering::SeqCst);
        }
    }
}

fn unit(stamped: Stamped) -> values::Unit {
    values::Unit {
        data: Buffer::from(stamped.unit.data),
        key: stamped.unit.key,
        generation: stamped.generation,
        width: stamped.width,
        height: stamped.height,
        monotonic_ms: us_to_ms(SystemClock.now_us()),
        capture_ms: us_to_ms(stamped.stamps.capture_us),
        converted_ms: us_to_ms(stamped.stamps.converted_us),
        encoded_ms: us_to_ms(stamped.stamps.encoded_us),
        refinement: stamped.refinement,
    }
}

fn event(event: Event) -> values::Event {
    let of = |kind: &str| values::Event {
        kind: kind.to_owned(),
        ..values::Event::default()
    };
    match event {
        Event::Changed { at_us } => values::Event {
            monotonic_ms: Some(us_to_ms(at_us)),
            ..of("changed")
        },
        Event::Encoder { name, version } => values::Event {
            name: Some(name),
            version: Some(version),
            ..of("encoder")
        },
        Event::EncoderFailed { words } => values::Event {
            words: Some(words),
            ..of("encoder-failed")
        },
        Event::RegionFailed { words } => values::Event {
            words: Some(words),
            ..of("region-failed")
        },
    }
}
