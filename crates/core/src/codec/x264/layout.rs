//! Where x264's structures keep what is read and written: one layout, the same in every build that is known.

use std::ffi::{c_int, c_void};

/// `sizeof` the parameters in those builds, in bytes.
pub const PARAM_BYTES: usize = 1024;
/// Room for the parameters, four times what they take, so that a larger build is seen and not suffered.
pub const PARAM_ROOM: usize = 4096;
/// I420 as these builds number it.
pub const CSP_I420: c_int = 2;
/// Let x264 choose the picture's type.
pub const TYPE_AUTO: c_int = 0;
/// An IDR.
pub const TYPE_IDR: c_int = 1;

/// A block's source pixels are those of the picture before.
pub const BLOCK_UNCHANGED: u8 = 1;

/// Places of fields in the parameters, in bytes.
pub mod at {
    pub const THREADS: usize = 4;
    pub const WIDTH: usize = 28;
    pub const HEIGHT: usize = 32;
    pub const CSP: usize = 36;
    pub const BIT_DEPTH: usize = 40;
    pub const KEYINT_MAX: usize = 100;
    pub const FAST_PSKIP: usize = 604;
    pub const DCT_DECIMATE: usize = 608;
    /// Whether a picture says which of its blocks are those of the picture before.
    pub const BLOCK_INFO: usize = 628;
    pub const BLOCK_INFO_UPDATE: usize = 632;
    pub const DEADZONE_INTER: usize = 636;
    pub const DEADZONE_INTRA: usize = 640;
    pub const LOG_LEVEL: usize = 528;
    pub const FPS_NUM: usize = 920;
    pub const FPS_DEN: usize = 924;
}

/// The encoder's parameters: a block of bytes that only x264 knows in whole.
#[repr(C, align(16))]
pub struct Param(pub [u8; PARAM_ROOM]);

impl Param {
    pub fn filled(byte: u8) -> Box<Self> {
        Box::new(Self([byte; PARAM_ROOM]))
    }

    pub fn get(&self, at: usize) -> c_int {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.0[at..at + 4]);
        c_int::from_ne_bytes(bytes)
    }

    pub fn set(&mut self, at: usize, value: c_int) {
        self.0[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    }

    /// Sets the picture's size in pixels.
    pub fn set_size(&mut self, width: c_int, height: c_int) {
        self.set(at::WIDTH, width);
        self.set(at::HEIGHT, height);
        self.set(at::CSP, CSP_I420);
        self.set(at::LOG_LEVEL, -1);
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (c_int, c_int) {
        (self.get(at::WIDTH), self.get(at::HEIGHT))
    }

    pub fn pointer(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }
}

/// Planes of a picture.
#[repr(C)]
pub struct Image {
    pub csp: c_int,
    pub planes: c_int,
    pub stride: [c_int; 4],
    pub plane: [*mut u8; 4],
}

/// A picture as x264 takes and gives it; what lies after the image stays zero.
#[repr(C)]
pub struct RawPicture {
    pub kind: c_int,
    pub qp_plus_one: c_int,
    pub structure: c_int,
    pub key: c_int,
    pub pts: i64,
    pub dts: i64,
    pub param: *mut c_void,
    pub image: Image,
    pub quantizer_offsets: [*mut c_void; 2],
    /// A byte for each block of sixteen by sixteen, row by row: [`BLOCK_UNCHANGED`] or zero.
    pub block_info: *const u8,
    pub rest: [u64; 15],
}

const _: () = assert!(size_of::<RawPicture>() == 240);
const _: () = assert!(std::mem::offset_of!(RawPicture, block_info) == 112);

impl RawPicture {
    /// A picture of which nothing is set.
    pub fn empty() -> Self {
        Self {
            kind: TYPE_AUTO,
            qp_plus_one: 0,
            structure: 0,
            key: 0,
            pts: 0,
            dts: 0,
            param: std::ptr::null_mut(),
            image: Image {
                csp: CSP_I420,
                planes: 3,
                stride: [0; 4],
                plane: [std::ptr::null_mut(); 4],
            },
            quantizer_offsets: [std::ptr::null_mut(); 2],
            block_info: std::ptr::null(),
            rest: [0; 15],
        }
    }
}

/// One NAL unit of an encoded picture.
#[repr(C)]
pub struct RawNal {
    pub ref_idc: c_int,
    pub kind: c_int,
    pub long_start_code: c_int,
    pub first_macroblock: c_int,
    pub last_macroblock: c_int,
    pub payload_bytes: c_int,
    pub payload: *mut u8,
    pub padding: c_int,
}

const _: () = assert!(size_of::<RawNal>() == 40);
