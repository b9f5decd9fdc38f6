use super::Api;
use crate::codec::CodecError;
use crate::codec::tests::fake_library;

/// A libx264 that fills `bytes` of parameters and puts a wrong number where the width is when `width` says so.
fn fake(name: &str, bytes: usize, width: u32) -> Result<Api, CodecError> {
    let source = format!(
        r#"
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn x264_param_default_preset(param: *mut u8, _: *const u8, _: *const u8) -> i32 {{
            unsafe {{
                param.write_bytes(0, {bytes});
                for (at, value) in [(28, {width}_u32), (36, 2), (40, 8), (100, 250), (604, 1), (608, 1), (636, 21), (640, 11), (920, 25), (924, 1)] {{
                    param.add(at).cast::<u32>().write(value);
                }}
            }}
            0
        }}
        #[unsafe(no_mangle)] pub extern "C" fn x264_param_parse() {{}}
        #[unsafe(no_mangle)] pub extern "C" fn x264_encoder_parameters() {{}}
        #[unsafe(no_mangle)] pub extern "C" fn x264_encoder_reconfig() {{}}
        #[unsafe(no_mangle)] pub extern "C" fn x264_encoder_encode() {{}}
        #[unsafe(no_mangle)] pub extern "C" fn x264_encoder_close() {{}}
        #[unsafe(no_mangle)] pub extern "C" fn x264_encoder_open_164() {{}}
        "#
    );
    Api::checked(fake_library(name, &source), 164)
}

fn words(result: Result<Api, CodecError>) -> String {
    match result {
        Err(CodecError::UnknownBuild(words)) => words,
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("it was taken"),
    }
}

#[test]
fn a_library_of_the_known_layout_is_taken() {
    assert!(fake("x264-right", 1024, 0).is_ok());
}

#[test]
fn a_library_whose_parameters_are_longer_is_refused_with_both_sizes() {
    let words = words(fake("x264-long", 1040, 0));
    assert!(
        words.contains("1040") && words.contains("1024") && words.contains("164"),
        "{words}"
    );
}

#[test]
fn a_library_whose_fields_stand_elsewhere_is_refused_with_the_place() {
    let words = words(fake("x264-moved", 1024, 77));
    assert!(words.contains("77 at 28"), "{words}");
}

#[test]
fn a_library_without_a_function_is_refused_with_its_name() {
    let library = fake_library("x264-bare", "");
    let words = words(Api::checked(library, 164));
    assert!(words.contains("x264_encoder_open_164"), "{words}");
}
