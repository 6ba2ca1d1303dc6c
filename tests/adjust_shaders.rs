//! The adjustments' shaders are valid, and the structures that they share with Rust lie as Rust thinks they do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::mem::offset_of;
use std::path::Path;

use histoscope::gpu::adjust::params::{BlurParams, CurveParams, PointParams, ScanParams, TileParams};
use histoscope::gpu::adjust::sources;

fn parse(name: &str) -> naga::Module {
    let (_, source) = sources().into_iter().find(|(found, _)| *found == name).expect("the pass exists");
    naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)))
}

#[test]
fn every_shader_is_valid_and_belongs_to_a_pass() {
    let mut passes = BTreeSet::new();
    for (name, _) in sources() {
        let module = parse(name);
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(!module.entry_points.is_empty(), "{name} has no entry point");
        passes.insert(name.to_owned());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/adjust");
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let files: BTreeSet<_> = folder.read_dir().unwrap().map(|entry| stem(&entry.unwrap().path())).collect();
    // The texts that passes share are no passes.
    passes.extend(["exact", "scan_block"].map(Into::into));
    assert_eq!(files, passes);
}

fn assert_layout(pass: &str, name: &str, size: usize, fields: &[(&str, usize)]) {
    let module = parse(pass);
    let (_, found) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("the structure exists");
    let naga::TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is no structure") };
    assert_eq!(*span as usize, size, "size of {name} in {pass}");
    for (field, offset) in fields {
        let member = members.iter().find(|m| m.name.as_deref() == Some(field)).expect("the field exists");
        assert_eq!(member.offset as usize, *offset, "{name}.{field} in {pass}");
    }
}

#[test]
fn shared_structures_lie_alike_in_rust_and_wgsl() {
    let scan = [
        ("source", offset_of!(ScanParams, source)),
        ("target_at", offset_of!(ScanParams, target_at)),
        ("length", offset_of!(ScanParams, length)),
        ("blocks", offset_of!(ScanParams, blocks)),
    ];
    assert_layout("scan", "Job", size_of::<ScanParams>(), &scan);
    let curve = [
        ("weight", offset_of!(CurveParams, weight)),
        ("first_channel", offset_of!(CurveParams, first_channel)),
        ("levels", offset_of!(CurveParams, levels)),
    ];
    assert_layout("curves", "Curve", size_of::<CurveParams>(), &curve);
    let point = [("tones", offset_of!(PointParams, tones)), ("tiles", offset_of!(PointParams, tiles))];
    assert_layout("point", "Point", size_of::<PointParams>(), &point);
    let blur = [
        ("size", offset_of!(BlurParams, size)),
        ("stride", offset_of!(BlurParams, stride)),
        ("sums_stride", offset_of!(BlurParams, sums_stride)),
    ];
    assert_layout("blur", "Blur", size_of::<BlurParams>(), &blur);
    let tiles = [
        ("tiles", offset_of!(TileParams, tiles)),
        ("tile", offset_of!(TileParams, tile)),
        ("most", offset_of!(TileParams, most)),
        ("slices", offset_of!(TileParams, slices)),
    ];
    for pass in ["tiles", "tile_curves"] {
        assert_layout(pass, "Tiles", size_of::<TileParams>(), &tiles);
    }
}
