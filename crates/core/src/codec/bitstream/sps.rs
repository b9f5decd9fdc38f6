//! The sequence parameter set: what a decoder is told about the stream.

use super::bits::{Bits, unescape};

/// Longest SPS that is read, in bytes; a real one is under 100.
const SPS_LIMIT_BYTES: usize = 1024;

/// The colour fields of the VUI; each is `None` when the stream does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Colour {
    /// Full range instead of limited.
    pub full_range: Option<bool>,
    /// Colour primaries, 1 is BT.709.
    pub primaries: Option<u8>,
    /// Transfer characteristics, 1 is BT.709.
    pub transfer: Option<u8>,
    /// Matrix coefficients, 1 is BT.709.
    pub matrix: Option<u8>,
}

impl Colour {
    /// BT.709 in limited range, all four fields written: the one choice every browser draws right.
    pub const BT709_LIMITED: Self = Self {
        full_range: Some(false),
        primaries: Some(1),
        transfer: Some(1),
        matrix: Some(1),
    };
}

/// A parsed sequence parameter set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sps {
    /// `profile_idc`.
    pub profile: u8,
    /// The constraint flags byte.
    pub constraints: u8,
    /// `level_idc`, ten times the level.
    pub level: u8,
    /// Width in pixels after cropping.
    pub width: u32,
    /// Height in pixels after cropping.
    pub height: u32,
    /// How picture order is told: 2 means output order is decoding order.
    pub pic_order_cnt_type: u32,
    /// Reference frames a decoder keeps.
    pub max_num_ref_frames: u32,
    /// Colour, from the VUI.
    pub colour: Colour,
    /// From the VUI's bitstream restriction; `None` when there is none and a decoder must assume a full buffer.
    pub max_num_reorder_frames: Option<u32>,
    /// From the VUI's bitstream restriction.
    pub max_dec_frame_buffering: Option<u32>,
}

impl Sps {
    /// The codec string a browser takes, as `avc1.640032`.
    #[must_use]
    pub fn codec_string(&self) -> String {
        format!(
            "avc1.{:02x}{:02x}{:02x}",
            self.profile, self.constraints, self.level
        )
    }

    /// Reads an SPS NAL (its header byte first). `None` when it is cut short, not an SPS, or says something impossible.
    #[must_use]
    pub fn parse(nal: &[u8]) -> Option<Self> {
        let (&header, payload) = nal.split_first()?;
        if header & 0x9f != 7 {
            return None;
        }
        let payload = unescape(payload, SPS_LIMIT_BYTES);
        let mut bits = Bits::new(&payload);
        let bits = &mut bits;
        let profile = byte(bits)?;
        let constraints = byte(bits)?;
        let level = byte(bits)?;
        limited(bits.ue()?, 31)?;
        let chroma = if has_chroma_format(profile) {
            chroma_format(bits)?
        } else {
            1
        };
        limited(bits.ue()?, 12)?;
        let pic_order_cnt_type = limited(bits.ue()?, 2)?;
        skip_picture_order(bits, pic_order_cnt_type)?;
        let max_num_ref_frames = limited(bits.ue()?, 16)?;
        bits.bit()?;
        let width_macroblocks = limited(bits.ue()?, 1023)? + 1;
        let height_units = limited(bits.ue()?, 1023)? + 1;
        let frames_only = bits.bit()?;
        if !frames_only {
            bits.bit()?;
        }
        bits.bit()?;
        let fields = 2 - u32::from(frames_only);
        let (mut width, mut height) = (width_macroblocks * 16, height_units * 16 * fields);
        if bits.bit()? {
            let across = if chroma == 1 || chroma == 2 { 2 } else { 1 };
            let down = if chroma == 1 { 2 } else { 1 } * fields;
            width = cropped(width, across, bits.ue()?, bits.ue()?)?;
            height = cropped(height, down, bits.ue()?, bits.ue()?)?;
        }
        let mut sps = Self {
            profile,
            constraints,
            level,
            width,
            height,
            pic_order_cnt_type,
            max_num_ref_frames,
            colour: Colour::default(),
            max_num_reorder_frames: None,
            max_dec_frame_buffering: None,
        };
        if bits.bit()? {
            sps.read_vui(bits)?;
        }
        Some(sps)
    }

    fn read_vui(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        if bits.bit()? && bits.bits(8)? == 255 {
            bits.bits(32)?;
        }
        if bits.bit()? {
            bits.bit()?;
        }
        if bits.bit()? {
            bits.bits(3)?;
            self.colour.full_range = Some(bits.bit()?);
            if bits.bit()? {
                self.colour.primaries = Some(byte(bits)?);
                self.colour.transfer = Some(byte(bits)?);
                self.colour.matrix = Some(byte(bits)?);
            }
        }
        if bits.bit()? {
            limited(bits.ue()?, 5)?;
            limited(bits.ue()?, 5)?;
        }
        if bits.bit()? {
            bits.bits(32)?;
            bits.bits(32)?;
            bits.bit()?;
        }
        let nal_timing = bits.bit()?;
        if nal_timing {
            skip_hrd(bits)?;
        }
        let vcl_timing = bits.bit()?;
        if vcl_timing {
            skip_hrd(bits)?;
        }
        if nal_timing || vcl_timing {
            bits.bit()?;
        }
        bits.bit()?;
        if bits.bit()? {
            bits.bit()?;
            for _ in 0..4 {
                limited(bits.ue()?, 16)?;
            }
            self.max_num_reorder_frames = Some(limited(bits.ue()?, 16)?);
            self.max_dec_frame_buffering = Some(limited(bits.ue()?, 16)?);
        }
        Some(())
    }
}

fn byte(bits: &mut Bits<'_>) -> Option<u8> {
    u8::try_from(bits.bits(8)?).ok()
}

fn limited(value: u32, limit: u32) -> Option<u32> {
    (value <= limit).then_some(value)
}

fn cropped(size: u32, unit: u32, before: u32, after: u32) -> Option<u32> {
    let cut = before.checked_add(after)?.checked_mul(unit)?;
    (cut < size).then(|| size - cut)
}

/// The High family carries the chroma format and scaling lists.
fn has_chroma_format(profile: u8) -> bool {
    matches!(
        profile,
        100 | 110 | 122 | 244 | 44 | 83 | 86 | 118 | 128 | 138 | 139 | 134 | 135
    )
}

fn chroma_format(bits: &mut Bits<'_>) -> Option<u32> {
    let chroma = limited(bits.ue()?, 3)?;
    let separate_planes = chroma == 3 && bits.bit()?;
    limited(bits.ue()?, 6)?;
    limited(bits.ue()?, 6)?;
    bits.bit()?;
    if bits.bit()? {
        let lists = if chroma == 3 { 12 } else { 8 };
        for list in 0..lists {
            if bits.bit()? {
                skip_scaling_list(bits, if list < 6 { 16 } else { 64 })?;
            }
        }
    }
    Some(if separate_planes { 0 } else { chroma })
}

fn skip_scaling_list(bits: &mut Bits<'_>, size: usize) -> Option<()> {
    let (mut last, mut next) = (8_i32, 8_i32);
    for _ in 0..size {
        if next != 0 {
            next = last.checked_add(bits.se()?)?.rem_euclid(256);
        }
        if next != 0 {
            last = next;
        }
    }
    Some(())
}

fn skip_picture_order(bits: &mut Bits<'_>, kind: u32) -> Option<()> {
    match kind {
        0 => {
            limited(bits.ue()?, 12)?;
        }
        1 => {
            bits.bit()?;
            bits.se()?;
            bits.se()?;
            for _ in 0..limited(bits.ue()?, 255)? {
                bits.se()?;
            }
        }
        _ => {}
    }
    Some(())
}

fn skip_hrd(bits: &mut Bits<'_>) -> Option<()> {
    let count = limited(bits.ue()?, 31)? + 1;
    bits.bits(8)?;
    for _ in 0..count {
        bits.ue()?;
        bits.ue()?;
        bits.bit()?;
    }
    bits.bits(20)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{Colour, Sps};

    /// Writes bits, to build sets that no encoder at hand would give.
    struct Writer(Vec<bool>);

    impl Writer {
        fn bits(&mut self, value: u32, count: u32) -> &mut Self {
            self.0
                .extend((0..count).rev().map(|at| value >> at & 1 == 1));
            self
        }
        fn ue(&mut self, value: u32) -> &mut Self {
            let length = 32 - (value + 1).leading_zeros();
            self.bits(0, length - 1).bits(value + 1, length)
        }
        fn bytes(&self) -> Vec<u8> {
            let mut bytes = vec![0_u8; self.0.len() / 8 + 1];
            for (at, &bit) in self.0.iter().chain(&[true]).enumerate() {
                bytes[at / 8] |= u8::from(bit) << (7 - at % 8);
            }
            bytes
        }
    }

    fn phone(vui: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        writer.bits(0x67, 8).bits(66, 8).bits(0xc0, 8).bits(50, 8);
        writer
            .ue(0)
            .ue(0)
            .ue(2)
            .ue(1)
            .bits(0, 1)
            .ue(67)
            .ue(149)
            .bits(0b11, 2);
        writer.bits(1, 1).ue(0).ue(4).ue(0).ue(0);
        vui(&mut writer);
        let mut out = writer.bytes();
        out.push(0x80);
        out
    }

    #[test]
    fn a_set_without_vui_says_size_and_nothing_about_order() {
        let sps = Sps::parse(&phone(|writer| {
            writer.bits(0, 1);
        }))
        .expect("it is whole");
        assert_eq!((sps.width, sps.height), (1080, 2400));
        assert_eq!(sps.codec_string(), "avc1.42c032");
        assert_eq!(sps.max_num_reorder_frames, None);
        assert_eq!(sps.colour, Colour::default());
    }

    #[test]
    fn colour_and_reordering_are_read_from_the_vui() {
        let sps = Sps::parse(&phone(|writer| {
            writer.bits(1, 1).bits(0, 1).bits(0, 1);
            writer
                .bits(1, 1)
                .bits(5, 3)
                .bits(0, 1)
                .bits(1, 1)
                .bits(1, 8)
                .bits(1, 8)
                .bits(1, 8);
            writer
                .bits(0, 1)
                .bits(0, 1)
                .bits(0, 1)
                .bits(0, 1)
                .bits(0, 1);
            writer
                .bits(1, 1)
                .bits(1, 1)
                .ue(0)
                .ue(0)
                .ue(11)
                .ue(11)
                .ue(0)
                .ue(1);
        }))
        .expect("it is whole");
        assert_eq!(sps.colour, Colour::BT709_LIMITED);
        assert_eq!(
            (sps.max_num_reorder_frames, sps.max_dec_frame_buffering),
            (Some(0), Some(1))
        );
    }

    #[test]
    fn a_set_cut_short_or_of_impossible_size_is_refused() {
        let whole = phone(|writer| {
            writer.bits(0, 1);
        });
        assert!(Sps::parse(&whole[..8]).is_none());
        assert!(Sps::parse(&[]).is_none());
        assert!(Sps::parse(&[0x68, 1, 2, 3]).is_none());
    }
}
