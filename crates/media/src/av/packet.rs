//! An owned packet: one frame's worth of compressed data.

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::{AvError, timestamp};

/// Bytes that a packet which is kept may lie beside, and a quarter of its own.
const MOST_SPARE: usize = 1024;

/// One packet.
pub(crate) struct AvPacket(NonNull<ffi::AVPacket>);

// SAFETY: a packet is plain data with an atomically counted buffer, and this type is its only owner.
unsafe impl Send for AvPacket {}

/// The number of the packet that the frame came from, or is to be decoded from.
pub(super) fn number_of(frame: &ffi::AVFrame) -> u64 {
    #[cfg(ffmpeg_before_6)]
    return frame.reordered_opaque.cast_unsigned();
    #[cfg(not(ffmpeg_before_6))]
    return frame.opaque.addr() as u64;
}

impl AvPacket {
    /// An empty packet.
    pub(crate) fn new() -> Self {
        // SAFETY: allocates, or returns null, which is handled as any failed allocation.
        let pointer = unsafe { ffi::av_packet_alloc() };
        match NonNull::new(pointer) {
            Some(packet) => Self(packet),
            None => handle_alloc_error(Layout::new::<ffi::AVPacket>()),
        }
    }

    /// A packet of that many bytes in memory for so many, at tick 40.
    #[cfg(test)]
    pub(crate) fn made(size: i32, memory: i32, is_key: bool) -> Self {
        let packet = Self::new();
        // SAFETY: the packet is blank, then it has `memory` bytes of which `size` stay.
        unsafe {
            assert_eq!(ffi::av_new_packet(packet.as_ptr(), memory), 0);
            ptr::write_bytes((*packet.as_ptr()).data, 7, memory as usize);
            ffi::av_shrink_packet(packet.as_ptr(), size);
            (*packet.as_ptr()).pts = 40;
            (*packet.as_ptr()).flags = if is_key { ffi::AV_PKT_FLAG_KEY } else { 0 };
        }
        packet
    }

    /// Another owner of the same bytes; they are copied only where nobody counts who has them.
    pub(crate) fn share(&self) -> Result<Self, AvError> {
        let other = Self::new();
        // SAFETY: both packets are valid, and the new one is blank. The function changes no packet that it takes from.
        AvError::check(unsafe { ffi::av_packet_ref(other.as_ptr(), self.as_ptr()) })?;
        Ok(other)
    }

    /// A packet to be kept for long: of the same bytes, or of a copy where they lie in much more memory than they need. Demuxers read
    /// transport streams into pieces of 200 KB, however little is in them.
    pub(crate) fn to_keep(&self) -> Result<Self, AvError> {
        let spare = self.buffer_bytes().saturating_sub(self.size());
        if spare <= self.size() / 4 + MOST_SPARE {
            return self.share();
        }
        let other = Self::new();
        // SAFETY: both packets are valid, and the new one is blank until it has as many bytes as are copied into it, of which none
        // lie in the memory that they come from.
        unsafe {
            AvError::check(ffi::av_new_packet(other.as_ptr(), self.get().size))?;
            AvError::check(ffi::av_packet_copy_props(other.as_ptr(), self.as_ptr()))?;
            ptr::copy_nonoverlapping(self.get().data, other.get().data, self.size());
        }
        Ok(other)
    }

    /// Bytes of the memory that its bytes lie in, as far as that is counted.
    fn buffer_bytes(&self) -> usize {
        let buffer = self.get().buf;
        // SAFETY: a packet's buffer reference is null or valid.
        if buffer.is_null() { 0 } else { unsafe { (*buffer).size } }
    }

    pub(super) const fn as_ptr(&self) -> *mut ffi::AVPacket {
        self.0.as_ptr()
    }

    const fn get(&self) -> &ffi::AVPacket {
        // SAFETY: the pointer is valid as long as `self`.
        unsafe { self.0.as_ref() }
    }

    /// Presentation timestamp in ticks.
    pub(crate) const fn pts(&self) -> Option<i64> {
        timestamp(self.get().pts)
    }

    /// Decoding timestamp in ticks.
    pub(crate) const fn dts(&self) -> Option<i64> {
        timestamp(self.get().dts)
    }

    /// The packet at a time so many ticks later.
    pub(crate) fn later_by(self, ticks: i64) -> Self {
        // SAFETY: the packet is valid and `self` its only owner.
        let packet = unsafe { &mut *self.as_ptr() };
        let later = |stamp: i64| timestamp(stamp).map_or(stamp, |stamp| stamp.saturating_add(ticks));
        (packet.pts, packet.dts) = (later(packet.pts), later(packet.dts));
        self
    }

    /// Index of its stream.
    pub(crate) const fn stream(&self) -> i32 {
        self.get().stream_index
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> usize {
        usize::try_from(self.get().size).unwrap_or(0)
    }

    /// Sets what a decoder hands on to the packet's frame.
    #[cfg(not(ffmpeg_before_6))]
    pub(super) fn set_opaque(&self, number: u64) {
        // SAFETY: the packet is valid and this type its only owner; FFmpeg hands the pointer on and never follows it.
        unsafe { (*self.as_ptr()).opaque = ptr::without_provenance_mut(number as usize) }
    }

    /// Its bytes.
    pub(crate) fn data(&self) -> &[u8] {
        let (data, size) = (self.get().data, self.size());
        // SAFETY: a packet's data is as long as it states, and nothing changes it while `self` is borrowed.
        if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data, size) } }
    }

    /// Its bytes, to be changed; they are copied first where others have them too.
    pub(super) fn data_mut(&mut self) -> Result<&mut [u8], AvError> {
        // SAFETY: the packet is valid, and `self` its only owner.
        AvError::check(unsafe { ffi::av_packet_make_writable(self.as_ptr()) })?;
        let (data, size) = (self.get().data, self.size());
        // SAFETY: a packet's data is as long as it states, nobody else has it now, and nothing else reads it while `self` is borrowed.
        Ok(if data.is_null() { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(data, size) } })
    }

    /// Returns whether it brings the decoder another configuration, beside its bytes.
    pub(super) fn reconfigures(&self) -> bool {
        use ffi::AVPacketSideDataType::{AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE};
        [AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE].into_iter().any(|kind| self.side_data(kind).is_some())
    }

    /// Returns what takes the place of the [extradata](super::stream::StreamParameters::extradata) that the decoder was opened with.
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

    /// Returns whether decoding can start here.
    pub(crate) const fn is_key(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_KEY != 0
    }

    /// Returns whether some of its bytes are wrong or missing, as far as the container tells.
    pub(crate) const fn is_corrupt(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_CORRUPT != 0
    }

    /// Returns whether it is decoded only for other frames' sake, as an edit list has it.
    pub(crate) const fn is_discarded(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_takes_little_more_memory_than_its_bytes() {
        for (size, memory) in [(1000, 204_800), (0, 204_800), (40_000, 204_800), (200_000, 204_800), (1000, 1000)] {
            let original = AvPacket::made(size, memory, true);
            let kept = original.to_keep().expect("memory");
            assert_eq!(kept.data(), original.data());
            assert_eq!((kept.pts(), kept.is_key(), kept.size()), (Some(40), true, size as usize));
            let most = size as usize * 5 / 4 + 2048;
            assert!(kept.buffer_bytes() <= most, "{} for {size} of {memory}", kept.buffer_bytes());
        }
        let shared = AvPacket::made(200_000, 204_800, true);
        assert_eq!(shared.to_keep().expect("memory").data().as_ptr(), shared.data().as_ptr(), "it is not copied");
    }
}
