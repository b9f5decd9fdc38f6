use super::Api;
use crate::codec::CodecError;
use crate::codec::tests::fake_library;

/// An OpenH264 of a version whose parameters take `bytes`.
fn fake(name: &str, minor: u32, bytes: usize) -> Result<Api, CodecError> {
    let source = format!(
        r#"
        #[repr(C)] pub struct Table([usize; 9]);
        static mut OBJECT: *const Table = std::ptr::null();
        extern "C" fn nothing() -> i32 {{ 0 }}
        unsafe extern "C" fn defaults(_: *mut u8, params: *mut u8) -> i32 {{
            unsafe {{ params.write_bytes(0, {bytes}) }};
            0
        }}
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn WelsCreateSVCEncoder(object: *mut *mut *const Table) -> i32 {{
            let mut table = Table([nothing as *const () as usize; 9]);
            table.0[2] = defaults as *const () as usize;
            unsafe {{
                OBJECT = Box::into_raw(Box::new(table));
                *object = &raw mut OBJECT;
            }}
            0
        }}
        #[unsafe(no_mangle)] pub extern "C" fn WelsDestroySVCEncoder() {{}}
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn WelsGetCodecVersionEx(version: *mut [u32; 4]) {{
            unsafe {{ *version = [2, {minor}, 0, 0] }};
        }}
        "#
    );
    Api::resolve(fake_library(name, &source))
}

#[test]
fn known_versions_are_taken_when_their_layout_is_as_known() {
    assert_eq!(
        fake("openh264-26", 6, 924).map(|api| api.version),
        Ok("2.6.0".into())
    );
    assert_eq!(
        fake("openh264-23", 3, 920).map(|api| api.version),
        Ok("2.3.0".into())
    );
}

#[test]
fn a_version_that_is_not_known_is_refused_before_anything_is_called() {
    let Err(CodecError::UnknownBuild(words)) = fake("openh264-25", 5, 924) else {
        panic!("it was taken")
    };
    assert!(words.contains("2.5.0") && words.contains("2.6"), "{words}");
}

#[test]
fn a_known_version_with_another_layout_is_refused_with_both_sizes() {
    let Err(CodecError::UnknownBuild(words)) = fake("openh264-mixed", 6, 920) else {
        panic!("it was taken")
    };
    assert!(words.contains("920") && words.contains("924"), "{words}");
}
