//! An owned packet: the compressed data of one frame.

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::{AvError, timestamp};

/// Unused bytes that a stored packet's buffer may have, in addition to a quarter of the packet's size.
const MAX_SPARE: usize = 1024;

/// One packet.
pub(crate) struct AvPacket(NonNull<ffi::AVPacket>);

// SAFETY: a packet is plain data with an atomically counted buffer, and this type is its only owner.
unsafe impl Send for AvPacket {}

/// Returns the number of the packet that the frame was decoded from, or is to be decoded from.
pub(super) fn number_of(frame: &ffi::AVFrame) -> u64 {
    #[cfg(ffmpeg_before_6)]
    return frame.reordered_opaque.cast_unsigned();
    #[cfg(not(ffmpeg_before_6))]
    return frame.opaque.addr() as u64;
}

impl AvPacket {
    /// Creates an empty packet.
    pub(crate) fn new() -> Self {
        // SAFETY: allocates, or returns null, which is handled as any failed allocation.
        let pointer = unsafe { ffi::av_packet_alloc() };
        match NonNull::new(pointer) {
            Some(packet) => Self(packet),
            None => handle_alloc_error(Layout::new::<ffi::AVPacket>()),
        }
    }

    /// Creates a packet of `size` bytes in a buffer of `memory` bytes, with timestamp 40.
    #[cfg(test)]
    pub(crate) fn made(size: i32, memory: i32, is_key: bool) -> Self {
        let packet = Self::new();
        // SAFETY: the packet is blank, then gets `memory` bytes and is shrunk to `size`.
        unsafe {
            assert_eq!(ffi::av_new_packet(packet.as_ptr(), memory), 0);
            ptr::write_bytes((*packet.as_ptr()).data, 7, memory as usize);
            ffi::av_shrink_packet(packet.as_ptr(), size);
            (*packet.as_ptr()).pts = 40;
            (*packet.as_ptr()).flags = if is_key { ffi::AV_PKT_FLAG_KEY } else { 0 };
        }
        packet
    }

    /// Returns another owner of the same bytes. They are copied only if the buffer is not reference-counted.
    pub(crate) fn share(&self) -> Result<Self, AvError> {
        let other = Self::new();
        // SAFETY: both packets are valid, and the new one is blank. The function does not change its source.
        AvError::check(unsafe { ffi::av_packet_ref(other.as_ptr(), self.as_ptr()) })?;
        Ok(other)
    }

    /// Returns a packet suited for long-term storage: it shares the bytes, or copies them if their buffer is much
    /// larger than they are. Demuxers read transport streams into buffers of 200 KB, however little data those hold.
    pub(crate) fn compacted(&self) -> Result<Self, AvError> {
        let spare = self.buffer_bytes().saturating_sub(self.size());
        if spare <= self.size() / 4 + MAX_SPARE {
            return self.share();
        }
        let other = Self::new();
        // SAFETY: both packets are valid, and the new one is blank until it gets as many bytes as are copied into it.
        // Its buffer is new, so the two do not overlap.
        unsafe {
            AvError::check(ffi::av_new_packet(other.as_ptr(), self.get().size))?;
            AvError::check(ffi::av_packet_copy_props(other.as_ptr(), self.as_ptr()))?;
            ptr::copy_nonoverlapping(self.get().data, other.get().data, self.size());
        }
        Ok(other)
    }

    /// Returns the size of the packet's buffer in bytes; 0 if the buffer is not reference-counted.
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

    /// Returns the presentation timestamp in ticks.
    pub(crate) const fn pts(&self) -> Option<i64> {
        timestamp(self.get().pts)
    }

    /// Returns the decoding timestamp in ticks.
    pub(crate) const fn dts(&self) -> Option<i64> {
        timestamp(self.get().dts)
    }

    /// Returns where the packet begins in the file, in bytes.
    pub(crate) fn position(&self) -> Option<u64> {
        u64::try_from(self.get().pos).ok()
    }

    /// Returns the packet with its timestamps moved later by this many ticks.
    pub(crate) fn later_by(self, ticks: i64) -> Self {
        // SAFETY: the packet is valid and `self` its only owner.
        let packet = unsafe { &mut *self.as_ptr() };
        let later = |stamp: i64| timestamp(stamp).map_or(stamp, |stamp| stamp.saturating_add(ticks));
        (packet.pts, packet.dts) = (later(packet.pts), later(packet.dts));
        self
    }

    /// Returns the index of the packet's stream.
    pub(crate) const fn stream(&self) -> i32 {
        self.get().stream_index
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> usize {
        usize::try_from(self.get().size).unwrap_or(0)
    }

    /// Sets the number that a decoder passes on to the packet's frame.
    #[cfg(not(ffmpeg_before_6))]
    pub(super) fn set_opaque(&self, number: u64) {
        // SAFETY: the packet is valid and this type its only owner; FFmpeg passes the pointer on and never dereferences
        // it.
        unsafe { (*self.as_ptr()).opaque = ptr::without_provenance_mut(number as usize) }
    }

    /// Returns the packet's bytes.
    pub(crate) fn data(&self) -> &[u8] {
        let (data, size) = (self.get().data, self.size());
        // SAFETY: a packet's data is as long as it states, and nothing changes it while `self` is borrowed.
        if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data, size) } }
    }

    /// Returns the packet's bytes for modification. They are copied first if other packets share them.
    pub(super) fn data_mut(&mut self) -> Result<&mut [u8], AvError> {
        // SAFETY: the packet is valid, and `self` its only owner.
        AvError::check(unsafe { ffi::av_packet_make_writable(self.as_ptr()) })?;
        let (data, size) = (self.get().data, self.size());
        // SAFETY: a packet's data is as long as it states. It is no longer shared, and nothing else reads it while
        // `self` is borrowed.
        Ok(if data.is_null() { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(data, size) } })
    }

    /// Returns `true` if the packet's side data changes the decoder's configuration.
    pub(crate) fn reconfigures(&self) -> bool {
        use ffi::AVPacketSideDataType::{AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE};
        [AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE].into_iter().any(|kind| self.side_data(kind).is_some())
    }

    /// Returns the new configuration that replaces the [extradata](super::stream::StreamParameters::extradata) with
    /// which the decoder was opened.
    pub(crate) fn configuration(&self) -> Option<&[u8]> {
        self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_NEW_EXTRADATA)
    }

    /// Returns the packet with the other's new configuration, unless it has its own.
    pub(crate) fn configured_as(self, other: &Self) -> Self {
        use ffi::AVPacketSideDataType::AV_PKT_DATA_NEW_EXTRADATA;
        if let (None, Some(bytes)) = (self.configuration(), other.configuration()) {
            // SAFETY: the packet is valid and `self` its only owner; the new side data is as long as what is copied.
            unsafe {
                let data = ffi::av_packet_new_side_data(self.as_ptr(), AV_PKT_DATA_NEW_EXTRADATA, bytes.len());
                let Some(data) = NonNull::new(data) else { handle_alloc_error(Layout::new::<ffi::AVPacket>()) };
                data.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
        }
        self
    }

    fn side_data(&self, kind: ffi::AVPacketSideDataType) -> Option<&[u8]> {
        let mut size = 0;
        // SAFETY: the packet is valid; its side data is as long as the function states, and nothing changes it while
        // `self` is borrowed.
        unsafe {
            let data = ffi::av_packet_get_side_data(self.as_ptr(), kind, &raw mut size);
            (!data.is_null()).then(|| std::slice::from_raw_parts(data, size))
        }
    }

    /// Returns `true` if decoding can start at this packet.
    pub(crate) const fn is_key(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_KEY != 0
    }

    /// Returns `true` if some of the bytes are wrong or missing, as far as the container reports it.
    pub(crate) const fn is_corrupt(&self) -> bool {
        self.get().flags & ffi::AV_PKT_FLAG_CORRUPT != 0
    }

    /// Returns `true` if the packet is decoded only because other frames refer to it, as an edit list specifies.
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
    fn a_keyframe_gets_the_configuration_that_is_in_force_unless_it_has_its_own() {
        let with = |bytes: &[u8]| {
            let packet = AvPacket::made(4, 4, true);
            let kind = ffi::AVPacketSideDataType::AV_PKT_DATA_NEW_EXTRADATA;
            // SAFETY: the packet is valid, and the new side data is as long as what is copied into it.
            unsafe {
                let data = ffi::av_packet_new_side_data(packet.as_ptr(), kind, bytes.len());
                data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
            packet
        };
        let plain = AvPacket::made(4, 4, true).configured_as(&with(&[1, 2, 3]));
        assert_eq!(plain.configuration(), Some(&[1, 2, 3][..]));
        assert_eq!(with(&[4]).configured_as(&plain).configuration(), Some(&[4][..]));
        assert_eq!(AvPacket::made(4, 4, true).configured_as(&AvPacket::made(4, 4, true)).configuration(), None);
    }

    #[test]
    fn stored_packets_waste_little_memory() {
        for (size, memory) in [(1000, 204_800), (0, 204_800), (40_000, 204_800), (200_000, 204_800), (1000, 1000)] {
            let original = AvPacket::made(size, memory, true);
            let kept = original.compacted().expect("memory");
            assert_eq!(kept.data(), original.data());
            assert_eq!((kept.pts(), kept.is_key(), kept.size()), (Some(40), true, size as usize));
            let most = size as usize * 5 / 4 + 2048;
            assert!(kept.buffer_bytes() <= most, "{} for {size} of {memory}", kept.buffer_bytes());
        }
        let shared = AvPacket::made(200_000, 204_800, true);
        assert_eq!(shared.compacted().expect("memory").data().as_ptr(), shared.data().as_ptr(), "it is not copied");
    }
}
