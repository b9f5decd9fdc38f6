//! One picture in I420, BT.709 limited range: what the slot keeps and every encoder takes.

/// Planes are packed (no row padding); width and height are even, odd device sizes being padded by
/// repeating the last row or column.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

impl Picture {
    /// A black picture of the next even size, in pixels.
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        let mut picture = Self {
            width: 0,
            height: 0,
            data: Vec::new(),
        };
        picture.reset(width, height);
        picture
    }

    /// Makes it a black picture of another size; its memory is used again where it is enough.
    pub fn reset(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width.next_multiple_of(2), height.next_multiple_of(2));
        let luma = self.width * self.height;
        self.data.clear();
        self.data.resize(luma + luma / 2, 128);
        self.data[..luma].fill(16);
    }

    /// Copies another picture into this one; its memory is used again where it is enough.
    pub fn copy_from(&mut self, other: &Self) {
        (self.width, self.height) = (other.width, other.height);
        self.data.clone_from(&other.data);
    }

    /// Width in pixels, even.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels, even.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The three planes, y then u then v; strides are `width` and `width / 2`.
    #[must_use]
    pub fn planes(&self) -> (&[u8], &[u8], &[u8]) {
        let luma = self.width * self.height;
        let (y, chroma) = self.data.split_at(luma);
        let (u, v) = chroma.split_at(luma / 4);
        (y, u, v)
    }

    /// The three planes, to write.
    pub fn planes_mut(&mut self) -> (&mut [u8], &mut [u8], &mut [u8]) {
        let luma = self.width * self.height;
        let (y, chroma) = self.data.split_at_mut(luma);
        let (u, v) = chroma.split_at_mut(luma / 4);
        (y, u, v)
    }
}
