use super::{
    NAL_IDR, NAL_SLICE, UnitError, check_unit, first_macroblock, nal_type, nals, split_units,
};
use crate::codec::testing::{Random, fuzz};

const SPS: &[u8] = &[0x67, 0x42, 0xc0, 0x0a, 0xf8, 0x41, 0xa2];
const PPS: &[u8] = &[0x68, 0xce, 0x3c, 0x80];
/// 0x80 after the header: first_mb_in_slice is 0; 0x40: it is 1.
const IDR: &[u8] = &[0x65, 0x88, 0x84];
const IDR_SECOND: &[u8] = &[0x65, 0x48, 0x84];
const SLICE: &[u8] = &[0x41, 0x9a, 0x21];
const SEI: &[u8] = &[0x06, 0x05, 0x01, 0x80];

fn unit(parts: &[&[u8]]) -> Vec<u8> {
    parts
        .iter()
        .flat_map(|part| [&[0, 0, 0, 1], *part].concat())
        .collect()
}

#[test]
fn nals_are_split_at_both_start_codes_and_lose_trailing_zeros() {
    let stream = [
        &[0, 0, 0, 1],
        SPS,
        &[0, 0, 1],
        PPS,
        &[0, 0, 0, 0, 1],
        IDR,
        &[0, 0],
    ]
    .concat();
    let found: Vec<&[u8]> = nals(&stream).collect();
    assert_eq!(found, [SPS, PPS, IDR]);
}

#[test]
fn a_key_unit_with_its_sets_passes() {
    let info = check_unit(&unit(&[SPS, PPS, SEI, IDR, IDR_SECOND])).expect("it is whole");
    assert!(info.key && info.sps.is_some());
    assert_eq!(info.slices, 2);
}

#[test]
fn each_broken_rule_has_its_own_error() {
    let cases: [(&[&[u8]], UnitError); 7] = [
        (&[SPS, PPS], UnitError::NoPicture),
        (&[SLICE, SLICE], UnitError::SecondPicture),
        (&[SLICE, SPS], UnitError::SecondPicture),
        (&[IDR_SECOND], UnitError::NotFromStart),
        (&[SPS, PPS, IDR, &[0x41, 0x5a]], UnitError::MixedSlices),
        (&[SPS, SEI, PPS, IDR], UnitError::NoParameterSets),
        (&[&[0x67, 0x42], PPS, IDR], UnitError::BadSps),
    ];
    for (parts, error) in cases {
        assert_eq!(check_unit(&unit(parts)), Err(error), "{parts:?}");
    }
    assert_eq!(check_unit(&[]), Err(UnitError::NoStartCode));
    assert_eq!(
        check_unit(&[0, 0, 1, 0x41, 0x9a]),
        Err(UnitError::NoStartCode)
    );
    assert_eq!(
        check_unit(&[0, 0, 0, 1, 0, 0, 1, 0x41, 0x9a]),
        Err(UnitError::BadNal)
    );
    assert_eq!(
        check_unit(&[0, 0, 0, 1, 0xc1, 0x9a]),
        Err(UnitError::BadNal)
    );
}

#[test]
fn a_stream_is_cut_where_a_picture_opens() {
    let stream = unit(&[SPS, PPS, SEI, IDR, IDR_SECOND, SLICE, SLICE, SPS, PPS, IDR]);
    let units = split_units(&stream);
    assert_eq!(units.len(), 4);
    assert_eq!(units[0], unit(&[SPS, PPS, SEI, IDR, IDR_SECOND]));
    assert_eq!(units[1], unit(&[SLICE]));
    assert_eq!(units[3], unit(&[SPS, PPS, IDR]));
}

#[test]
fn types_and_first_macroblocks_are_read() {
    assert_eq!(
        (nal_type(IDR), nal_type(SLICE), nal_type(&[])),
        (NAL_IDR, NAL_SLICE, 0)
    );
    assert_eq!(
        (first_macroblock(IDR), first_macroblock(IDR_SECOND)),
        (Some(0), Some(1))
    );
    assert_eq!(
        (first_macroblock(SPS), first_macroblock(&[0x65])),
        (None, None)
    );
}

#[test]
fn a_hundred_thousand_malformed_streams_neither_panic_nor_grow() {
    let seed = unit(&[SPS, PPS, SEI, IDR, SLICE]);
    let mut random = Random::new(0x0bad_5eed);
    for _ in 0..100_000 {
        let mut bytes = match random.below(3) {
            0 => random.bytes(64),
            _ => seed.clone(),
        };
        for _ in 0..random.below(6) {
            random.damage(&mut bytes);
        }
        fuzz::bitstream(&bytes);
    }
}
