//! The layers of OpenEXR pictures, read from their headers. FFmpeg decodes one layer of the first part, and only if it
//! has red, green and blue (or X, Y and Z), or luminance.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The first bytes of a file.
const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];
/// Flags after the version.
const DEEP: u32 = 1 << 11;
const SEVERAL_PARTS: u32 = 1 << 12;
/// Maximum number of bytes read of a file's headers.
const MAX_HEADERS: u64 = 4 << 20;
/// Maximum number of channels that are named.
const MAX_NAMES: usize = 12;

/// The layer to decode, by the text before the names of its channels, with the dot; none for the default layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LayerChoice(String);

impl LayerChoice {
    /// Returns FFmpeg's options for its decoder.
    pub(crate) fn options(&self) -> Vec<(&'static CStr, CString)> {
        vec![(c"layer", CString::new(&*self.0).unwrap_or_default())]
    }
}

/// The headers of a picture.
#[derive(Debug)]
pub(crate) struct ExrHeader {
    layers: Vec<Layer>,
    is_deep: bool,
    /// Number of the compression method of the first part.
    compression: Option<u8>,
}

/// A layer: the channels of one part whose names begin alike.
#[derive(Debug)]
struct Layer {
    part: u32,
    /// Name of the part; empty if the file has only one.
    part_name: String,
    /// The text before the names of its channels, with the dot; empty for the default layer.
    prefix: String,
    channels: Vec<Channel>,
}

#[derive(Debug)]
struct Channel {
    /// The name without the layer's.
    name: String,
    /// Pixel type.
    kind: u32,
}

impl Layer {
    /// Returns the name that the layer is chosen by.
    fn name(&self) -> &str {
        if self.prefix.is_empty() { &self.part_name } else { self.prefix.trim_end_matches('.') }
    }

    /// Returns the pixel types of the channels with these names.
    fn kind_of(&self, names: [&str; 3]) -> Option<u32> {
        let found =
            self.channels.iter().find(|channel| names.iter().any(|name| channel.name.eq_ignore_ascii_case(name)));
        found.map(|channel| channel.kind)
    }

    /// Returns `true` if it has the channels that make a picture, in the part that FFmpeg reads correctly.
    fn has_picture(&self) -> bool {
        self.part == 0 && (self.color().is_some() || self.kind_of(["Y"; 3]).is_some())
    }

    fn color(&self) -> Option<[u32; 3]> {
        let color = [["R", "X", "U"], ["G", "Y", "V"], ["B", "Z", "W"]].map(|names| self.kind_of(names));
        let [Some(red), Some(green), Some(blue)] = color else { return None };
        Some([red, green, blue])
    }
}

impl ExrHeader {
    /// Reads the headers of a file; `None` if it is not an EXR picture.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_HEADERS).read_to_end(&mut bytes).ok()?;
        Self::parse(&bytes)
    }

    /// Reads the headers at the start of a picture; `None` if it is not an EXR picture.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(&MAGIC)?;
        let flags = take_number(&mut rest)?;
        let mut header = Self { layers: Vec::new(), is_deep: flags & DEEP != 0, compression: None };
        let mut part = 0;
        // A single part is not followed by an empty header.
        while rest.first().is_some_and(|first| *first != 0) {
            header.take_part(part, &mut rest)?;
            part += 1;
            if flags & SEVERAL_PARTS == 0 {
                break;
            }
        }
        Some(header)
    }

    /// Reads the attributes of one part.
    fn take_part(&mut self, part: u32, rest: &mut &[u8]) -> Option<()> {
        let (mut channels, mut part_name) = (Vec::new(), String::new());
        while rest.first().is_some_and(|first| *first != 0) {
            let (name, kind) = (take_text(rest)?, take_text(rest)?);
            let size = take_number(rest)? as usize;
            let (value, behind) = rest.split_at_checked(size)?;
            *rest = behind;
            match (&*name, &*kind) {
                ("channels", "chlist") => channels = read_channels(value)?,
                ("compression", "compression") => self.compression = self.compression.or(value.first().copied()),
                ("name", "string") => part_name = String::from_utf8_lossy(value).into_owned(),
                ("type", "string") => self.is_deep |= value.starts_with(b"deep"),
                _ => {}
            }
        }
        *rest = rest.get(1..)?;
        for (name, kind) in channels {
            let split = name.rfind('.').map_or(0, |dot| dot + 1);
            let prefix = &name[..split];
            let channel = Channel { name: name[split..].to_owned(), kind };
            match self.layers.iter_mut().find(|layer| layer.part == part && layer.prefix == prefix) {
                Some(layer) => layer.channels.push(channel),
                None => self.layers.push(Layer {
                    part,
                    part_name: part_name.clone(),
                    prefix: prefix.to_owned(),
                    channels: vec![channel],
                }),
            }
        }
        Some(())
    }

    /// Returns the layer with that name, if FFmpeg decodes it.
    pub(crate) fn layer(&self, name: &str) -> Option<LayerChoice> {
        let found = self.layers.iter().find(|layer| layer.name() == name && layer.has_picture())?;
        Some(LayerChoice(found.prefix.clone()))
    }

    /// Returns the names of the layers that can be chosen, separated by commas; `None` if there are none.
    pub(crate) fn layer_names(&self) -> Option<String> {
        let mut names: Vec<_> = self.layers.iter().filter(|layer| layer.has_picture()).map(Layer::name).collect();
        names.retain(|name| !name.is_empty());
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Returns the names of the first channels of all layers, separated by commas.
    pub(crate) fn channel_names(&self) -> String {
        let names = self.layers.iter().flat_map(|layer| {
            let part = if layer.part == 0 { String::new() } else { format!("{}: ", layer.part_name) };
            layer.channels.iter().map(move |channel| format!("{part}{}{}", layer.prefix, channel.name))
        });
        let names: Vec<_> = names.collect();
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        names.into_iter().take(MAX_NAMES).collect::<Vec<_>>().join(", ") + more
    }

    /// Returns `true` if its pixels have any number of samples each.
    pub(crate) const fn is_deep(&self) -> bool {
        self.is_deep
    }

    /// Returns the number of the compression method, if it is newer than DWAB.
    pub(crate) fn new_compression(&self) -> Option<u8> {
        self.compression.filter(|method| *method > 9)
    }

    /// Returns `true` if FFmpeg has a way to decode that layer.
    pub(crate) fn has_picture(&self, layer: &LayerChoice) -> bool {
        self.picture_of(layer).is_some()
    }

    /// Returns `true` if red, green and blue of that layer have different pixel types.
    pub(crate) fn is_mixed(&self, layer: &LayerChoice) -> bool {
        let kinds = self.picture_of(layer).and_then(Layer::color);
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| *kind != kinds[0]))
    }

    fn picture_of(&self, choice: &LayerChoice) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.prefix == choice.0 && layer.has_picture())
    }
}

fn read_channels(mut rest: &[u8]) -> Option<Vec<(String, u32)>> {
    let mut found = Vec::new();
    while rest.first().is_some_and(|first| *first != 0) {
        let name = take_text(&mut rest)?;
        found.push((name, take_number(&mut rest)?));
        // Its linearity, with three reserved bytes, and its sampling.
        rest = rest.get(12..)?;
    }
    Some(found)
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let end = rest.iter().position(|byte| *byte == 0)?;
    let text = String::from_utf8_lossy(&rest[..end]).into_owned();
    *rest = &rest[end + 1..];
    Some(text)
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, behind) = rest.split_first_chunk::<4>()?;
    *rest = behind;
    Some(u32::from_le_bytes(*bytes))
}
