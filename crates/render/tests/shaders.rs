//! The shaders in the table are valid and have the bindings of the table, and their structures have the same memory
//! layout as in Rust.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use histoscope_render::gpu::adjust::{BlurParams, CropParams, CurveParams, RecolorParams, TileParams};
use histoscope_render::gpu::bins::ChannelScale;
use histoscope_render::gpu::brushed::{BrushParams, BrushedParams};
use histoscope_render::gpu::draw::{DividerParams, OutputParams, PlacementParams};
use histoscope_render::gpu::histogram::ReductionParams;
use histoscope_render::gpu::pairs::PairWeights;
use histoscope_render::gpu::params::{ImageParams, LevelParams, PairingParams, PictureParams, RegionParams};
use histoscope_render::gpu::scan::ScanParams;
use histoscope_render::gpu::shaders::groups::{self, Binding, GroupLayout};
use histoscope_render::gpu::shaders::{self, EntryPoint, Shader};
use histoscope_render::gpu::totals::{LimitsParams, SelectionParams};
use histoscope_render::gpu::vectorscope::VectorscopeParams;
use histoscope_render::gpu::waveform::WaveformParams;
use histoscope_render::view::panel_params::PanelParams;
use histoscope_render::view::scopes::TraceParams;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, Block, Expression, Handle, ImageClass, Module, ScalarKind, Statement, StorageAccess, TypeInner,
};

/// Parses the module as it is compiled.
fn parse(shader: &Shader) -> Module {
    let source = shader.source();
    naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string_with_path(&source, shader.path())))
}

fn validate(module: &Module) -> Result<ModuleInfo, String> {
    Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP).validate(module).map_err(|e| format!("{e:?}"))
}

#[test]
fn every_shader_is_valid_and_the_table_has_its_entry_points() {
    for shader in shaders::ALL {
        let module = parse(shader);
        validate(&module).unwrap_or_else(|e| panic!("{}: {e}", shader.path()));
        let found: BTreeSet<_> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
        let listed: BTreeSet<_> = shader.entry_points.iter().map(|entry| entry.name).collect();
        assert!(!found.is_empty() && found == listed, "{}: {found:?} {listed:?}", shader.path());
    }
}

#[test]
fn an_invalid_shader_would_be_noticed() {
    let wrong = "@fragment fn f() -> @location(0) vec4<f32> { return vec3<f32>(0.0); }";
    assert!(naga::front::wgsl::parse_str(wrong).map_or(true, |module| validate(&module).is_err()));
}

#[test]
fn no_shader_orders_accesses_to_storage_within_a_workgroup() {
    let with = shaders::ALL.iter().filter(|shader| shader.source().contains("storageBarrier"));
    let with: Vec<_> = with.map(|shader| shader.path()).collect();
    assert!(with.is_empty(), "docs/learn/barriers.md says that none does: {with:?}");
}

/// Returns the shader of the page about barriers that WGSL forbids.
fn forbidden_example() -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/learn/barriers.md")).unwrap();
    let (_, rest) = page.split_once("```forbidden\n").expect("the page has the example");
    rest.split_once("```").expect("the example ends").0.to_owned()
}

/// Finds barriers that some invocations of a workgroup may not reach. naga does not look for them.
struct BarrierSearch<'a> {
    module: &'a ModuleInfo,
    function: &'a FunctionInfo,
    /// `true` once some invocations may have returned.
    has_returned: bool,
}

impl BarrierSearch<'_> {
    /// Returns `true` if all invocations reach every barrier of the block, which only some run if `is_split`.
    fn reaches_all(&mut self, block: &Block, is_split: bool) -> bool {
        let function = self.function;
        let splits = |condition: Handle<Expression>| function[condition].uniformity.non_uniform_result.is_some();
        block.iter().all(|statement| match statement {
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => !is_split && !self.has_returned,
            Statement::Call { function, .. } => {
                let has_barrier = !self.module[*function].uniformity.requirements.is_empty();
                !has_barrier || (!is_split && !self.has_returned)
            }
            Statement::Return { .. } => {
                self.has_returned |= is_split;
                true
            }
            Statement::Block(block) => self.reaches_all(block, is_split),
            Statement::If { condition, accept, reject } => {
                let is_split = is_split || splits(*condition);
                self.reaches_all(accept, is_split) && self.reaches_all(reject, is_split)
            }
            Statement::Switch { selector, cases } => {
                let is_split = is_split || splits(*selector);
                cases.iter().all(|case| self.reaches_all(&case.body, is_split))
            }
            Statement::Loop { body, continuing, .. } => {
                self.reaches_all(body, is_split) && self.reaches_all(continuing, is_split)
            }
            _ => true,
        })
    }
}

/// Returns `true` if all invocations of a workgroup reach every barrier of a module.
fn has_only_uniform_barriers(module: &Module) -> bool {
    let info = validate(module).unwrap();
    let reaches =
        |body, function| BarrierSearch { module: &info, function, has_returned: false }.reaches_all(body, false);
    module.functions.iter().all(|(handle, function)| reaches(&function.body, &info[handle]))
        && module
            .entry_points
            .iter()
            .enumerate()
            .all(|(index, entry)| reaches(&entry.function.body, info.get_entry_point(index)))
}

#[test]
fn every_invocation_reaches_every_barrier() {
    for shader in shaders::ALL {
        assert!(has_only_uniform_barriers(&parse(shader)), "{}", shader.path());
    }
}

/// If naga comes to refuse the example, the page must say so.
#[test]
fn the_barrier_that_not_all_invocations_reach_is_found_here_and_not_by_naga() {
    let wrong = forbidden_example();
    let module = |text: &str| naga::front::wgsl::parse_str(text).unwrap();
    validate(&module(&wrong)).expect("naga accepts it");
    assert!(!has_only_uniform_barriers(&module(&wrong)));
    let fault = "return;";
    assert_eq!(wrong.matches(fault).count(), 1, "{wrong}");
    assert!(has_only_uniform_barriers(&module(&wrong.replace(fault, ""))));
}

fn shader_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { shader_files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_file_of_the_folder_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap().with_extension("").to_string_lossy().into_owned();
    let files: BTreeSet<_> = shader_files(&folder).iter().map(name).collect();
    let texts: BTreeSet<_> = shaders::ALL.iter().flat_map(|shader| shader.texts).map(|text| text.path.into()).collect();
    assert_eq!(files, texts);
    let own: BTreeSet<_> = shaders::ALL.iter().map(|shader| shader.path()).collect();
    assert_eq!(own.len(), shaders::ALL.len(), "no text is the own one of two passes");
}

/// Returns the binding of a variable, or `None` if the table has none.
fn binding_of(module: &Module, variable: &naga::GlobalVariable) -> Option<Binding> {
    match (variable.space, &module.types[variable.ty].inner) {
        (AddressSpace::Uniform, _) => Some(Binding::Uniform),
        (AddressSpace::Storage { access }, _) if access == StorageAccess::LOAD => Some(Binding::Read),
        (AddressSpace::Storage { .. }, _) => Some(Binding::Write),
        (AddressSpace::Handle, TypeInner::Image { class: ImageClass::Sampled { kind, .. }, .. }) => {
            Some(if *kind == ScalarKind::Float { Binding::Drawn } else { Binding::Texture })
        }
        (AddressSpace::Handle, TypeInner::Image { class: ImageClass::Storage { .. }, .. }) => Some(Binding::Image),
        _ => None,
    }
}

/// Returns the groups and positions of all bindings that an entry point uses, with their kinds.
fn used(module: &Module, info: &ModuleInfo, entry: &EntryPoint) -> Vec<(usize, usize, Option<Binding>)> {
    let index = module.entry_points.iter().position(|found| found.name == entry.name).expect("it was found above");
    let is_used = |handle: Handle<naga::GlobalVariable>| !info.get_entry_point(index)[handle].is_empty();
    let variables = module.global_variables.iter().filter(|(handle, _)| is_used(*handle));
    let bound = variables.filter_map(|(_, variable)| variable.binding.map(|at| (at, variable)));
    bound.map(|(at, variable)| (at.group as usize, at.binding as usize, binding_of(module, variable))).collect()
}

#[test]
fn shaders_bind_what_the_table_says() {
    let mut unused: HashMap<*const GroupLayout, BTreeSet<usize>> = HashMap::new();
    for shader in shaders::ALL {
        let module = parse(shader);
        let info = validate(&module).unwrap();
        for entry in shader.entry_points {
            for group in entry.groups {
                unused.entry(*group).or_insert_with(|| (0..group.bindings.len()).collect());
            }
            for (group, binding, what) in used(&module, &info, entry) {
                let name = format!("{} of {}, group {group}, binding {binding}", entry.name, shader.path());
                let group = entry.groups.get(group).unwrap_or_else(|| panic!("{name} is not in the table"));
                assert!(
                    what.is_some() && what.as_ref() == group.bindings.get(binding),
                    "{name}: {what:?} in {group:?}"
                );
                unused.get_mut(&std::ptr::from_ref(*group)).unwrap().remove(&binding);
            }
        }
    }
    assert!(unused.contains_key(&std::ptr::from_ref(&groups::PICTURE)));
    assert!(unused.values().all(BTreeSet::is_empty), "what no shader uses is not bound");
}

fn assert_layout(shader: &Shader, name: &str, size: usize, fields: &[(&str, usize)]) {
    let module = parse(shader);
    let (_, found) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect("the structure exists");
    let TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is no structure") };
    let shader = shader.path();
    assert_eq!(*span as usize, size, "size of {name} in {shader}");
    let lies = |member: &naga::StructMember| (member.name.clone().unwrap(), member.offset as usize);
    let found: HashMap<_, _> = members.iter().map(lies).filter(|(name, _)| name != "padding").collect();
    let listed: HashMap<_, _> = fields.iter().map(|&(name, offset)| (name.to_owned(), offset)).collect();
    assert_eq!(found, listed, "{name} in {shader}");
}

#[test]
fn shared_structures_lie_alike_in_rust_and_wgsl() {
    for pass in [&shaders::CHUNK, &shaders::VIDEO] {
        assert_layout(
            pass,
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
    let size = [("size", offset_of!(ImageParams, size))];
    assert_layout(&shaders::LAB_BLUR, "Image", size_of::<ImageParams>(), &size);
    let vectorscope = [
        ("low", offset_of!(VectorscopeParams, low)),
        ("high", offset_of!(VectorscopeParams, high)),
        ("weights", offset_of!(VectorscopeParams, weights)),
    ];
    assert_layout(&shaders::VECTORSCOPE, "Vectorscope", size_of::<VectorscopeParams>(), &vectorscope);
    let pairs = [
        ("first", offset_of!(PairWeights, first)),
        ("second", offset_of!(PairWeights, second)),
        ("whole", offset_of!(PairWeights, whole)),
    ];
    assert_layout(&shaders::VECTORSCOPE, "PairWeights", size_of::<PairWeights>(), &pairs);
    let trace = [
        ("view", offset_of!(TraceParams, view)),
        ("origin", offset_of!(TraceParams, origin)),
        ("size", offset_of!(TraceParams, size)),
        ("level_bits", offset_of!(TraceParams, level_bits)),
        ("stride", offset_of!(TraceParams, stride)),
        ("columns", offset_of!(TraceParams, columns)),
        ("widths", offset_of!(TraceParams, widths)),
        ("heights", offset_of!(TraceParams, heights)),
        ("channels", offset_of!(TraceParams, channels)),
        ("parade", offset_of!(TraceParams, parade)),
        ("gain", offset_of!(TraceParams, gain)),
        ("ground", offset_of!(TraceParams, ground)),
        ("lights", offset_of!(TraceParams, lights)),
        ("hue", offset_of!(TraceParams, hue)),
        ("zoom", offset_of!(TraceParams, zoom)),
        ("white", offset_of!(TraceParams, white)),
        ("strength", offset_of!(TraceParams, strength)),
        ("samples", offset_of!(TraceParams, samples)),
        ("centre", offset_of!(TraceParams, centre)),
        ("is_chromaticity", offset_of!(TraceParams, is_chromaticity)),
        ("colors", offset_of!(TraceParams, colors)),
    ];
    assert_layout(&shaders::TRACE, "Trace", size_of::<TraceParams>(), &trace);
    let waveform = [
        ("low", offset_of!(WaveformParams, low)),
        ("high", offset_of!(WaveformParams, high)),
        ("columns", offset_of!(WaveformParams, columns)),
        ("channel_stride", offset_of!(WaveformParams, channel_stride)),
        ("rows", offset_of!(WaveformParams, rows)),
    ];
    assert_layout(&shaders::WAVEFORM, "Waveform", size_of::<WaveformParams>(), &waveform);
    let level = [
        ("length", offset_of!(LevelParams, length)),
        ("blocks", offset_of!(LevelParams, blocks)),
        ("block", offset_of!(LevelParams, block)),
    ];
    assert_layout(&shaders::LAB_SCAN, "Level", size_of::<LevelParams>(), &level);
    let region = [("low", offset_of!(RegionParams, low)), ("high", offset_of!(RegionParams, high))];
    assert_layout(&shaders::CHUNK, "Region", size_of::<RegionParams>(), &region);
    assert_layout(
        &shaders::REDUCE,
        "Reduction",
        size_of::<ReductionParams>(),
        &[
            ("chunk_count", offset_of!(ReductionParams, chunk_count)),
            ("chunk_words", offset_of!(ReductionParams, chunk_words)),
            ("bits", offset_of!(ReductionParams, bits)),
        ],
    );
    for pass in [&shaders::CHUNK, &shaders::REDUCE, &shaders::SCALE, &shaders::COLUMNS] {
        assert_layout(
            pass,
            "Scale",
            size_of::<ChannelScale>(),
            &[
                ("height", offset_of!(ChannelScale, height)),
                ("tallest", offset_of!(ChannelScale, tallest)),
                ("samples", offset_of!(ChannelScale, samples)),
            ],
        );
    }
    for pass in [&shaders::COLUMNS, &shaders::OVERLAY] {
        assert_layout(
            pass,
            "Panel",
            size_of::<PanelParams>(),
            &[
                ("view", offset_of!(PanelParams, view)),
                ("origin", offset_of!(PanelParams, origin)),
                ("size", offset_of!(PanelParams, size)),
                ("first_column", offset_of!(PanelParams, first_column)),
                ("channels", offset_of!(PanelParams, channels)),
                ("scale", offset_of!(PanelParams, scale)),
                ("line", offset_of!(PanelParams, line)),
                ("notch", offset_of!(PanelParams, notch)),
                ("opacity", offset_of!(PanelParams, opacity)),
                ("lights", offset_of!(PanelParams, lights)),
                ("bars", offset_of!(PanelParams, bars)),
                ("scrim", offset_of!(PanelParams, scrim)),
                ("traced", offset_of!(PanelParams, traced)),
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
                ("cap", offset_of!(PanelParams, cap)),
                ("indicator", offset_of!(PanelParams, indicator)),
                ("overlaps", offset_of!(PanelParams, overlaps)),
                ("linear", offset_of!(PanelParams, linear)),
                ("linear", offset_of!(PanelParams, linear)),
            ],
        );
    }
    let output = [
        ("scale", offset_of!(OutputParams, scale)),
        ("is_pq", offset_of!(OutputParams, is_pq)),
        ("unused", offset_of!(OutputParams, unused)),
    ];
    assert_layout(&shaders::OUTPUT, "Output", size_of::<OutputParams>(), &output);
    assert_layout(
        &shaders::DIVIDER,
        "Divider",
        size_of::<DividerParams>(),
        &[
            ("view", offset_of!(DividerParams, view)),
            ("column", offset_of!(DividerParams, column)),
            ("line", offset_of!(DividerParams, line)),
        ],
    );
    let selection = [
        ("first", offset_of!(SelectionParams, first)),
        ("end", offset_of!(SelectionParams, end)),
        ("channels", offset_of!(SelectionParams, channels)),
        ("low", offset_of!(SelectionParams, low)),
        ("high", offset_of!(SelectionParams, high)),
        ("coded", offset_of!(SelectionParams, coded)),
    ];
    assert_layout(&shaders::SELECTION, "Selection", size_of::<SelectionParams>(), &selection);
    let brush = [
        ("first", offset_of!(BrushParams, first)),
        ("end", offset_of!(BrushParams, end)),
        ("histogram", offset_of!(BrushParams, histogram)),
        ("waveform", offset_of!(BrushParams, waveform)),
        ("columns", offset_of!(BrushParams, columns)),
        ("coded", offset_of!(BrushParams, coded)),
        ("row_words", offset_of!(BrushParams, row_words)),
        ("weights", offset_of!(BrushParams, weights)),
        ("pairs", offset_of!(BrushParams, pairs)),
        ("level_bits", offset_of!(BrushParams, level_bits)),
    ];
    assert_layout(&shaders::BRUSH, "Brushes", size_of::<BrushParams>(), &brush);
    let brushed = [
        ("low", offset_of!(BrushedParams, low)),
        ("high", offset_of!(BrushedParams, high)),
        ("shift", offset_of!(BrushedParams, shift)),
        ("height", offset_of!(BrushedParams, height)),
        ("row_words", offset_of!(BrushedParams, row_words)),
        ("columns", offset_of!(BrushedParams, columns)),
        ("stride", offset_of!(BrushedParams, stride)),
        ("bins", offset_of!(BrushedParams, bins)),
        ("waveform", offset_of!(BrushedParams, waveform)),
        ("weights", offset_of!(BrushedParams, weights)),
    ];
    assert_layout(&shaders::BRUSHED, "Brushed", size_of::<BrushedParams>(), &brushed);
    let limits = [
        ("first", offset_of!(LimitsParams, first)),
        ("end", offset_of!(LimitsParams, end)),
        ("low", offset_of!(LimitsParams, low)),
        ("width_high", offset_of!(LimitsParams, width)),
        ("width_low", offset_of!(LimitsParams, width) + 4),
        ("step", offset_of!(LimitsParams, step)),
    ];
    assert_layout(&shaders::LIMITS, "Limits", size_of::<LimitsParams>(), &limits);
    assert_layout(
        &shaders::VIDEO,
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
            ("channels", offset_of!(PlacementParams, channels)),
            ("low", offset_of!(PlacementParams, low)),
            ("high", offset_of!(PlacementParams, high)),
            ("strength", offset_of!(PlacementParams, strength)),
            ("coded", offset_of!(PlacementParams, coded)),
            ("lit_words", offset_of!(PlacementParams, lit_words)),
            ("first", offset_of!(PlacementParams, first)),
            ("end", offset_of!(PlacementParams, end)),
            ("zebra", offset_of!(PlacementParams, zebra)),
            ("stripe", offset_of!(PlacementParams, stripe)),
            ("tone_coded", offset_of!(PlacementParams, tone_coded)),
            ("marks", offset_of!(PlacementParams, marks)),
            ("selected", offset_of!(PlacementParams, selected)),
            ("lowest", offset_of!(PlacementParams, lowest)),
            ("highest", offset_of!(PlacementParams, highest)),
            ("mark_colors", offset_of!(PlacementParams, mark_colors)),
            ("tint", offset_of!(PlacementParams, tint)),
            ("bands", offset_of!(PlacementParams, bands)),
            ("text", offset_of!(PlacementParams, text)),
            ("letters", offset_of!(PlacementParams, letters)),
            ("glyphs", offset_of!(PlacementParams, glyphs)),
            ("gamut", offset_of!(PlacementParams, gamut)),
            ("tone", offset_of!(PlacementParams, tone)),
        ],
    );
}

#[test]
fn structures_of_adjustments_lie_alike_in_rust_and_wgsl() {
    let scan = [
        ("source", offset_of!(ScanParams, source)),
        ("target_at", offset_of!(ScanParams, target_at)),
        ("length", offset_of!(ScanParams, length)),
        ("blocks", offset_of!(ScanParams, blocks)),
    ];
    assert_layout(&shaders::SCAN, "Job", size_of::<ScanParams>(), &scan);
    let curve = [
        ("weight", offset_of!(CurveParams, weight)),
        ("first_channel", offset_of!(CurveParams, first_channel)),
        ("levels", offset_of!(CurveParams, levels)),
    ];
    assert_layout(&shaders::CURVES, "Curve", size_of::<CurveParams>(), &curve);
    let recolor = [
        ("tones", offset_of!(RecolorParams, tones)),
        ("tiles", offset_of!(RecolorParams, tiles)),
        ("cube", offset_of!(RecolorParams, cube)),
    ];
    assert_layout(&shaders::RECOLOR, "Recolor", size_of::<RecolorParams>(), &recolor);
    let blur = [
        ("size", offset_of!(BlurParams, size)),
        ("stride", offset_of!(BlurParams, stride)),
        ("sums_stride", offset_of!(BlurParams, sums_stride)),
    ];
    assert_layout(&shaders::BLUR, "Blur", size_of::<BlurParams>(), &blur);
    let crop = [
        ("first", offset_of!(CropParams, first)),
        ("source_stride", offset_of!(CropParams, source_stride)),
        ("result_stride", offset_of!(CropParams, result_stride)),
        ("row_words", offset_of!(CropParams, row_words)),
        ("rows", offset_of!(CropParams, rows)),
    ];
    assert_layout(&shaders::CROP, "Crop", size_of::<CropParams>(), &crop);
    let tiles = [
        ("tiles", offset_of!(TileParams, tiles)),
        ("tile", offset_of!(TileParams, tile)),
        ("most", offset_of!(TileParams, most)),
        ("slices", offset_of!(TileParams, slices)),
    ];
    for pass in [&shaders::CLAHE_TILES, &shaders::CLAHE_CURVES] {
        assert_layout(pass, "Tiles", size_of::<TileParams>(), &tiles);
    }
    let pairing = [("stride", offset_of!(PairingParams, stride))];
    assert_layout(&shaders::PAIRWISE, "Pairing", 4, &pairing);
}
