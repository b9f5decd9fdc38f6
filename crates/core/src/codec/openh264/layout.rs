//! Where OpenH264's structures keep what is read and written, by version. Its maintainers change them between minor
//! versions without a check, and a library read with another's layout crashes.

use std::ffi::c_int;

/// Room for the parameters, far more than any version takes.
pub const PARAM_ROOM: usize = 4096;
/// Room for the description of one encoded picture: 128 layers of the larger layout, and to spare.
pub const INFO_ROOM: usize = 16384;
/// I420 as the library numbers it.
pub const FORMAT_I420: c_int = 23;
/// The picture was dropped by the library.
pub const FRAME_SKIPPED: c_int = 4;

/// What differs between the known layouts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What the parameters take: the library shows it by filling them.
    pub param_bytes: usize,
    /// From one layer's description to the next.
    pub layer_bytes: usize,
    /// Where the picture's type stands behind the layers.
    pub frame_type: usize,
}

/// 2.3: what Debian 12 installs.
const LAYOUT_2_3: Layout = Layout {
    param_bytes: 920,
    layer_bytes: 40,
    frame_type: 5128,
};
/// 2.6: what Cisco offers; it measures picture quality, which made three structures longer.
const LAYOUT_2_6: Layout = Layout {
    param_bytes: 924,
    layer_bytes: 56,
    frame_type: 7176,
};

/// The layout of a version, if it is one that was compared with its own headers.
#[must_use]
pub fn of_version(major: u32, minor: u32) -> Option<Layout> {
    match (major, minor) {
        (2, 3) => Some(LAYOUT_2_3),
        (2, 6) => Some(LAYOUT_2_6),
        _ => None,
    }
}

/// Places in the parameters, in bytes; the same in both layouts.
pub mod param {
    pub const USAGE: usize = 0;
    pub const WIDTH: usize = 4;
    pub const HEIGHT: usize = 8;
    pub const BIT_RATE: usize = 12;
    pub const RATE_MODE: usize = 16;
    pub const FRAME_RATE: usize = 20;
    pub const TEMPORAL_LAYERS: usize = 24;
    pub const SPATIAL_LAYERS: usize = 28;
    pub const COMPLEXITY: usize = 832;
    pub const INTRA_PERIOD: usize = 836;
    pub const REFERENCES: usize = 840;
    pub const SET_ID_STRATEGY: usize = 844;
    pub const ENTROPY_MODE: usize = 856;
    pub const FRAME_SKIP: usize = 860;
    pub const MAX_BIT_RATE: usize = 864;
    pub const MAX_QP: usize = 868;
    pub const MIN_QP: usize = 872;
    pub const THREADS: usize = 892;
    pub const LOAD_BALANCING: usize = 894;
    pub const DEBLOCKING_OFF: usize = 896;
    pub const DENOISE: usize = 908;
    pub const BACKGROUND_DETECTION: usize = 909;
    pub const ADAPTIVE_QUANT: usize = 910;
    pub const SCENE_CHANGE: usize = 912;
    /// The first and only spatial layer; what follows is counted from here.
    pub const LAYER: usize = 32;
    pub const LAYER_WIDTH: usize = LAYER;
    pub const LAYER_HEIGHT: usize = LAYER + 4;
    pub const LAYER_FRAME_RATE: usize = LAYER + 8;
    pub const LAYER_BIT_RATE: usize = LAYER + 12;
    pub const LAYER_MAX_BIT_RATE: usize = LAYER + 16;
    pub const LAYER_QP: usize = LAYER + 28;
    pub const LAYER_SLICE_MODE: usize = LAYER + 32;
    pub const LAYER_SLICES: usize = LAYER + 36;
    pub const LAYER_SIGNAL_PRESENT: usize = LAYER + 184;
    pub const LAYER_VIDEO_FORMAT: usize = LAYER + 185;
    pub const LAYER_FULL_RANGE: usize = LAYER + 186;
    pub const LAYER_COLOUR_PRESENT: usize = LAYER + 187;
    pub const LAYER_PRIMARIES: usize = LAYER + 188;
    pub const LAYER_TRANSFER: usize = LAYER + 189;
    pub const LAYER_MATRIX: usize = LAYER + 190;
}

/// Places in the description of an encoded picture; those of a layer are counted from the layer.
pub mod info {
    pub const LAYERS: usize = 0;
    pub const FIRST_LAYER: usize = 8;
    pub const NAL_COUNT: usize = 16;
    pub const NAL_LENGTHS: usize = 24;
    pub const BYTES: usize = 32;
}

/// A picture to encode, in the longer layout; the shorter one's is its beginning.
#[repr(C)]
pub struct SourcePicture {
    pub format: c_int,
    pub stride: [c_int; 4],
    pub plane: [*mut u8; 4],
    pub width: c_int,
    pub height: c_int,
    pub timestamp_ms: i64,
    pub quality_flags: [u8; 8],
}

const _: () = assert!(size_of::<SourcePicture>() == 80);

/// A block of bytes that the library fills, aligned for everything in it.
#[repr(C, align(16))]
pub struct Block<const ROOM: usize>(pub [u8; ROOM]);

impl<const ROOM: usize> Block<ROOM> {
    /// All bytes the same.
    pub fn filled(byte: u8) -> Box<Self> {
        Box::new(Self([byte; ROOM]))
    }

    /// Writes a value's bytes.
    pub fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        self.0[at..at + N].copy_from_slice(&bytes);
    }

    /// Writes an `int`.
    pub fn put_int(&mut self, at: usize, value: c_int) {
        self.put(at, value.to_ne_bytes());
    }

    fn take<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }

    /// Reads an `int`.
    pub fn int(&self, at: usize) -> c_int {
        c_int::from_ne_bytes(self.take(at))
    }

    /// Reads a pointer.
    pub fn pointer<T>(&self, at: usize) -> *const T {
        std::ptr::with_exposed_provenance(usize::from_ne_bytes(self.take(at)))
    }
}
