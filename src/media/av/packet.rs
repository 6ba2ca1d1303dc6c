//! An owned packet: one frame's worth of compressed data.

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::NonNull;

use ffmpeg_next::ffi;

use super::{AvError, timestamp};

/// One packet.
pub(in crate::media) struct AvPacket(NonNull<ffi::AVPacket>);

// SAFETY: a packet is plain data with an atomically counted buffer, and this type is its only owner.
unsafe impl Send for AvPacket {}

impl AvPacket {
    /// An empty packet.
    pub(in crate::media) fn new() -> Self {
        // SAFETY: allocates, or returns null, which is handled as any failed allocation.
        let pointer = unsafe { ffi::av_packet_alloc() };
        match NonNull::new(pointer) {
            Some(packet) => Self(packet),
            None => handle_alloc_error(Layout::new::<ffi::AVPacket>()),
        }
    }

    /// Another owner of the same bytes; they are copied only where nobody counts who has them.
    pub(in crate::media) fn share(&self) -> Result<Self, AvError> {
        let other = Self::new();
        // SAFETY: both packets are valid, and the new one is blank. The function changes no packet that it takes from.
        AvError::check(unsafe { ffi::av_packet_ref(other.as_ptr(), self.as_ptr()) })?;
        Ok(other)
    }

    pub(super) const fn as_ptr(&self) -> *mut ffi::AVPacket {
        self.0.as_ptr()
    }

    const fn get(&self) -> &ffi::AVPacket {
        // SAFETY: the pointer is valid as long as `self`.
        unsafe { self.0.as_ref() }
    }

    /// Presentation timestamp in ticks.
    pub(in crate::media) const fn pts(&self) -> Option<i64> {
        timestamp(self.get().pts)
    }

    /// Decoding timestamp in ticks.
    pub(in crate::media) const fn dts(&self) -> Option<i64> {
        timestamp(self.get().dts)
    }

    /// Index of its stream.
    pub(in crate::media) const fn stream(&self) -> i32 {
        self.get().stream_index
    }

    /// Size in bytes.
    pub(in crate::media) fn size(&self) -> usize {
        usize::try_from(self.get().size).unwrap_or(0)
    }

    /// Its bytes.
    pub(super) fn data(&self) -> &[u8] {
        let (data, size) = (self.get().data, self.size());
        // SAFETY: a packet's data is as long as it states, and nothing changes it while `self` is borrowed.
        if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data, size) } }
    }

    /// Whether it brings the decoder another configuration, beside its bytes.
    pub(super) fn reconfigures(&self) -> bool {
        use ffi::AVPacketSideDataType::{AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE};
        [AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE].into_iter().any(|kind| self.side_data(kind).is_some())
    }

    /// What takes the place of the [extradata](super::stream::StreamParameters::extradata) that the decoder was opened with.
    pub(super) fn configuration(&self) -> Option<&[u8]> {
        self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_NEW_EXTRADATA)
    }

    fn side_data(&self, kind: ffi::AVPacketSideDataType) -> Option<&[u8]> {
        let mut size = 0;
        // SAFETY: the packet is valid; its side data is as long as the function states, and nothing changes it while `self`
        // is borrowed.
        unsafe {
            let data = ffi::av_packet_get_side_data(self.as_ptr(), kind, &raw mut size);
            (!data.is_null()).then(|| std::slice::from_raw_parts(data, size))
        }
    }

    /// Whether decoding can start here.
    pub(in crate::media) const fn is_key(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_KEY != 0
    }

    /// Whether some of its bytes are wrong or missing, as far as the container tells.
    pub(in crate::media) const fn is_corrupt(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_CORRUPT != 0
    }

    /// Whether it is decoded only for other frames' sake, as an edit list has it.
    pub(in crate::media) const fn is_discarded(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_DISCARD != 0
    }
}

impl Drop for AvPacket {
    fn drop(&mut self) {
        let mut pointer = self.0.as_ptr();
        // SAFETY: this is the only owner; the function takes the address of a pointer and clears it.
        unsafe { ffi::av_packet_free(&raw mut pointer) }
    }
}
