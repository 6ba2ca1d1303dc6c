//! Every shader is valid, and the structures that it shares with Rust lie as Rust thinks they do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::HashMap;
use std::fs;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use histoscope::gpu::shared::{
    ChannelScale, DividerParams, PANEL_WGSL, PICTURE_WGSL, PanelParams, PictureParams, PlacementParams, QUADS_WGSL,
    ReductionParams, TALLY_WGSL,
};

fn shader_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(shader_files(&path));
        } else if path.extension().is_some_and(|e| e == "wgsl") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The module as it is compiled: passes that read the picture or an overlay have the shared text before their own.
fn parse(path: &Path) -> naga::Module {
    let own = fs::read_to_string(path).unwrap();
    let quads = own.contains("quad_of_samples(") || own.contains("load_pair(");
    let texts = [
        (own.contains("picture."), PICTURE_WGSL),
        (quads, QUADS_WGSL),
        (own.contains("tally("), TALLY_WGSL),
        (own.contains("panel."), PANEL_WGSL),
    ];
    let shared: String = texts.iter().filter(|(used, _)| *used).map(|(_, text)| format!("{text}\n")).collect();
    let source = shared + &own;
    naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string_with_path(&source, &path.to_string_lossy())))
}

fn shaders() -> Vec<(PathBuf, naga::Module)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    // The adjustments' shaders, which share more than one text, have a test of their own (tests/adjust_shaders.rs).
    let texts = ["picture.wgsl", "quads.wgsl", "tally.wgsl", "panel.wgsl"];
    let shared = |path: &Path| texts.iter().any(|name| path.ends_with(name));
    let own = |path: &PathBuf| !shared(path) && path.parent() != Some(&folder.join("adjust"));
    let files: Vec<_> = shader_files(&folder).into_iter().filter(own).collect();
    files.into_iter().map(|path| (path.clone(), parse(&path))).collect()
}

fn validate(module: &naga::Module) -> Result<(), String> {
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty())
        .validate(module)
        .map(|_| ())
        .map_err(|e| format!("{e:?}"))
}

#[test]
fn every_shader_is_valid_and_has_an_entry_point() {
    let shaders = shaders();
    for pass in
        ["chunk.wgsl", "reduce.wgsl", "scale.wgsl", "video.wgsl", "columns.wgsl", "overlay.wgsl", "divider.wgsl"]
    {
        assert!(shaders.iter().any(|(path, _)| path.ends_with(pass)), "{pass} is missing from the list");
    }
    for (path, module) in &shaders {
        validate(module).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!module.entry_points.is_empty(), "{} has no entry point", path.display());
    }
}

#[test]
fn an_invalid_shader_would_be_noticed() {
    let wrong = "@fragment fn f() -> @location(0) vec4<f32> { return vec3<f32>(0.0); }";
    assert!(naga::front::wgsl::parse_str(wrong).map_or(true, |module| validate(&module).is_err()));
}

/// Offsets of the members of a WGSL structure by name, and its size.
fn members(file: &str, name: &str) -> (HashMap<String, u32>, u32) {
    let shaders = shaders();
    let (_, module) = shaders.iter().find(|(path, _)| path.ends_with(file)).expect("the shader exists");
    let (_, found) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("the structure exists");
    let naga::TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is no structure") };
    (members.iter().map(|m| (m.name.clone().unwrap(), m.offset)).collect(), *span)
}

fn assert_layout(file: &str, name: &str, size: usize, fields: &[(&str, usize)]) {
    let (offsets, span) = members(file, name);
    assert_eq!(span as usize, size, "size of {name} in {file}");
    assert!(!fields.is_empty());
    for (field, offset) in fields {
        assert_eq!(offsets.get(*field).map(|&o| o as usize), Some(*offset), "{name}.{field} in {file}");
    }
}

#[test]
fn shared_structures_lie_alike_in_rust_and_wgsl() {
    for file in ["chunk.wgsl", "video.wgsl"] {
        assert_layout(
            file,
            "Picture",
            size_of::<PictureParams>(),
            &[
                ("size", offset_of!(PictureParams, size)),
                ("chroma_size", offset_of!(PictureParams, chroma_size)),
                ("strides", offset_of!(PictureParams, strides)),
                ("red", offset_of!(PictureParams, integer)),
                ("green", offset_of!(PictureParams, integer) + 16),
                ("blue", offset_of!(PictureParams, integer) + 32),
                ("real_red", offset_of!(PictureParams, real)),
                ("real_green", offset_of!(PictureParams, real) + 16),
                ("real_blue", offset_of!(PictureParams, real) + 32),
            ],
        );
    }
    assert_layout(
        "reduce.wgsl",
        "Reduction",
        size_of::<ReductionParams>(),
        &[
            ("chunk_count", offset_of!(ReductionParams, chunk_count)),
            ("chunk_words", offset_of!(ReductionParams, chunk_words)),
            ("bits", offset_of!(ReductionParams, bits)),
        ],
    );
    for file in ["chunk.wgsl", "reduce.wgsl", "scale.wgsl", "columns.wgsl"] {
        assert_layout(
            file,
            "Scale",
            size_of::<ChannelScale>(),
            &[
                ("height", offset_of!(ChannelScale, height)),
                ("tallest", offset_of!(ChannelScale, tallest)),
                ("samples", offset_of!(ChannelScale, samples)),
            ],
        );
    }
    for file in ["columns.wgsl", "overlay.wgsl"] {
        assert_layout(
            file,
            "Panel",
            size_of::<PanelParams>(),
            &[
                ("view", offset_of!(PanelParams, view)),
                ("origin", offset_of!(PanelParams, origin)),
                ("size", offset_of!(PanelParams, size)),
                ("first_column", offset_of!(PanelParams, first_column)),
                ("channels", offset_of!(PanelParams, channels)),
                ("logarithmic", offset_of!(PanelParams, logarithmic)),
                ("line", offset_of!(PanelParams, line)),
                ("notch", offset_of!(PanelParams, notch)),
                ("opacity", offset_of!(PanelParams, opacity)),
                ("lights", offset_of!(PanelParams, lights)),
                ("bars", offset_of!(PanelParams, bars)),
                ("veil", offset_of!(PanelParams, veil)),
                ("whiten", offset_of!(PanelParams, whiten)),
                ("brushed", offset_of!(PanelParams, brushed)),
                ("brush", offset_of!(PanelParams, brush)),
                ("guides", offset_of!(PanelParams, guides)),
                ("marks", offset_of!(PanelParams, marks)),
                ("graticule", offset_of!(PanelParams, graticule)),
                ("outlined", offset_of!(PanelParams, outlined)),
                ("curved", offset_of!(PanelParams, curved)),
                ("light", offset_of!(PanelParams, light)),
                ("stroke", offset_of!(PanelParams, stroke)),
                ("backdrop", offset_of!(PanelParams, backdrop)),
            ],
        );
    }
    assert_layout(
        "divider.wgsl",
        "Divider",
        size_of::<DividerParams>(),
        &[
            ("view", offset_of!(DividerParams, view)),
            ("column", offset_of!(DividerParams, column)),
            ("line", offset_of!(DividerParams, line)),
        ],
    );
    assert_layout(
        "video.wgsl",
        "Placement",
        size_of::<PlacementParams>(),
        &[
            ("transform", offset_of!(PlacementParams, transform)),
            ("across", offset_of!(PlacementParams, across)),
            ("down", offset_of!(PlacementParams, down)),
            ("origin", offset_of!(PlacementParams, origin)),
            ("taps", offset_of!(PlacementParams, taps)),
            ("hard", offset_of!(PlacementParams, hard)),
            ("view_width", offset_of!(PlacementParams, view_width)),
            ("turned", offset_of!(PlacementParams, turned)),
            ("channel", offset_of!(PlacementParams, channel)),
            ("low", offset_of!(PlacementParams, low)),
            ("high", offset_of!(PlacementParams, high)),
            ("strength", offset_of!(PlacementParams, strength)),
            ("coded", offset_of!(PlacementParams, coded)),
            ("lit_words", offset_of!(PlacementParams, lit_words)),
        ],
    );
}
