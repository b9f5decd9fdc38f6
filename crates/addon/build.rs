//! Node-API's linker settings.
fn main() {
    napi_build::setup();
}
