//! Annex B: splitting a stream into NAL units and checking that a unit is what it claims. No input makes it panic.

mod bits;
mod sps;

pub use bits::{Bits, unescape};
pub use sps::{Colour, Sps};

/// A slice of a picture that is not an IDR.
pub const NAL_SLICE: u8 = 1;
/// A slice of an IDR.
pub const NAL_IDR: u8 = 5;
/// Supplemental enhancement information.
pub const NAL_SEI: u8 = 6;
/// A sequence parameter set.
pub const NAL_SPS: u8 = 7;
/// A picture parameter set.
pub const NAL_PPS: u8 = 8;
/// An access unit delimiter.
pub const NAL_DELIMITER: u8 = 9;

/// The type of a NAL unit, or 0 when it is empty.
#[must_use]
pub fn nal_type(nal: &[u8]) -> u8 {
    nal.first().map_or(0, |header| header & 0x1f)
}

/// The NAL units between start codes of three or four bytes, without the codes and without trailing zeros.
pub fn nals(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = find_start(stream).map(|(_, after)| &stream[after..]);
    std::iter::from_fn(move || {
        let current = rest?;
        let end = match find_start(current) {
            Some((begin, after)) => {
                rest = Some(&current[after..]);
                begin
            }
            None => {
                rest = None;
                current.len()
            }
        };
        let nal = &current[..end];
        let trailing = nal.iter().rev().take_while(|&&byte| byte == 0).count();
        Some(&nal[..nal.len() - trailing])
    })
}

/// Where the next 00 00 01 begins and where the bytes after it do.
fn find_start(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(one) = bytes
        .get(from + 2..)
        .and_then(|tail| tail.iter().position(|&byte| byte == 1))
    {
        let at = from + 2 + one;
        if bytes[at - 1] == 0 && bytes[at - 2] == 0 {
            return Some((at - 2, at + 1));
        }
        from = at - 1;
    }
    None
}

/// The first macroblock of a slice; 0 opens a picture. `None` for what is not a slice or is cut short.
#[must_use]
pub fn first_macroblock(nal: &[u8]) -> Option<u32> {
    if !matches!(nal_type(nal), NAL_SLICE | NAL_IDR) {
        return None;
    }
    Bits::new(&unescape(&nal[1..], 8)).ue()
}

/// Cuts a stream into access units: each opens at the first parameter set, delimiter or SEI before a picture's first slice.
#[must_use]
pub fn split_units(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut units: Vec<Vec<u8>> = Vec::new();
    let mut has_slice = true;
    for nal in nals(stream).filter(|nal| !nal.is_empty()) {
        let opens = match nal_type(nal) {
            NAL_SLICE | NAL_IDR => first_macroblock(nal) == Some(0),
            NAL_SEI | NAL_SPS | NAL_PPS | NAL_DELIMITER => true,
            _ => false,
        };
        if (opens && has_slice) || units.is_empty() {
            units.push(Vec::new());
            has_slice = false;
        }
        has_slice |= matches!(nal_type(nal), NAL_SLICE | NAL_IDR);
        if let Some(unit) = units.last_mut() {
            unit.extend_from_slice(&[0, 0, 0, 1]);
            unit.extend_from_slice(nal);
        }
    }
    units
}

/// What a checked access unit holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitInfo {
    /// An IDR with its parameter sets.
    pub key: bool,
    /// Slices of its one picture.
    pub slices: usize,
    /// Its sequence parameter set, on a key unit.
    pub sps: Option<Sps>,
}

/// Why bytes are not one access unit that a viewer may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// Bytes before the first start code, or none at all.
    #[error("a unit opens with a four-byte start code")]
    NoStartCode,
    /// A NAL unit without bytes or with the forbidden bit.
    #[error("a NAL unit is empty or has its forbidden bit set")]
    BadNal,
    /// No slice.
    #[error("a unit holds a picture")]
    NoPicture,
    /// A second picture, or parameter sets after a slice.
    #[error("a unit holds exactly one picture, its parameter sets before it")]
    SecondPicture,
    /// Its first slice is not the picture's first.
    #[error("a unit opens with its picture's first slice")]
    NotFromStart,
    /// IDR and other slices in one picture.
    #[error("a picture is an IDR in all its slices or in none")]
    MixedSlices,
    /// A key unit without SPS and PPS side by side before the IDR.
    #[error("a key unit opens with SPS then PPS, side by side")]
    NoParameterSets,
    /// An SPS that cannot be read.
    #[error("the sequence parameter set cannot be read")]
    BadSps,
}

/// Checks that `data` is one whole access unit as viewers need it.
///
/// # Errors
/// [`UnitError`] says the first rule that does not hold.
pub fn check_unit(data: &[u8]) -> Result<UnitInfo, UnitError> {
    if !data.starts_with(&[0, 0, 0, 1]) {
        return Err(UnitError::NoStartCode);
    }
    let mut info = UnitInfo {
        key: false,
        slices: 0,
        sps: None,
    };
    let mut previous = 0;
    let mut sets_adjacent = false;
    for nal in nals(data) {
        if nal.first().is_none_or(|header| header & 0x80 != 0) {
            return Err(UnitError::BadNal);
        }
        let kind = nal_type(nal);
        match kind {
            NAL_SLICE | NAL_IDR => {
                let first = first_macroblock(nal).ok_or(UnitError::BadNal)?;
                if info.slices == 0 {
                    if first != 0 {
                        return Err(UnitError::NotFromStart);
                    }
                    info.key = kind == NAL_IDR;
                } else if first == 0 {
                    return Err(UnitError::SecondPicture);
                } else if info.key != (kind == NAL_IDR) {
                    return Err(UnitError::MixedSlices);
                }
                info.slices += 1;
            }
            NAL_SPS | NAL_PPS | NAL_DELIMITER | NAL_SEI if info.slices > 0 => {
                return Err(UnitError::SecondPicture);
            }
            NAL_SPS => info.sps = Some(Sps::parse(nal).ok_or(UnitError::BadSps)?),
            NAL_PPS if previous == NAL_SPS => sets_adjacent = true,
            _ => {}
        }
        previous = kind;
    }
    if info.slices == 0 {
        return Err(UnitError::NoPicture);
    }
    if info.key && !sets_adjacent {
        return Err(UnitError::NoParameterSets);
    }
    Ok(info)
}

#[cfg(test)]
mod tests;
