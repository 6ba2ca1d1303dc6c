//! Every shader of the program in one table: the texts that it is joined from, its entry points and their bind groups.
//!
//! The passes take their modules, pipelines and bind groups from here, and crates/render/tests/shaders.rs checks the
//! same rows without an adapter. To add a pass, add a file to shaders/ and a row here.

pub mod groups;

use groups::GroupLayout;

/// A file in shaders/.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Its path in that folder, without the extension.
    pub path: &'static str,
    /// Its text.
    pub wgsl: &'static str,
}

macro_rules! text {
    ($path:literal) => {
        Text { path: $path, wgsl: include_str!(concat!("../../../../shaders/", $path, ".wgsl")) }
    };
}

/// The common part of passes that read a picture.
const PICTURE_TEXT: Text = text!("picture");
/// The common part of passes that read it four pixels at a time; it follows [`PICTURE_TEXT`].
const STRIPS: Text = text!("strips");
/// The computation of the pairs that a vectorscope counts.
const PAIRS: Text = text!("pairs");
/// The common part of passes that count pixels; it follows [`STRIPS`].
const TALLY: Text = text!("tally");
/// The common part of passes that need the light of HLG's pixels.
const HLG_LIGHT: Text = text!("hlg_light");
/// The common part of the passes of an overlay.
const PANEL: Text = text!("panel");
/// The common part of passes that need integers beyond 32 bits.
const EXACT: Text = text!("adjust/exact");
/// The common part of passes that scan blocks.
const SCAN_BLOCK: Text = text!("adjust/scan_block");
const RECOLOR_TEXT: Text = text!("adjust/recolor");
/// The common part of the tutorial's methods that count an image.
const IMAGE: Text = text!("lab/image");
/// The common part of methods that count a chunk in workgroup memory; it follows [`IMAGE`].
const TILE: Text = text!("lab/tile");
/// The common part of the lab's passes that read a picture; it follows [`PICTURE_TEXT`].
const LAB_CODES: Text = text!("lab/codes");

/// The runtime checks that wgpu adds to a shader to make it safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    /// All checks; workgroup memory is also initialized to zero.
    All,
    /// All checks except the counters that end loops running too long. Passes with workgroup memory write it before
    /// they read it, each invocation its own part; wgpu's own initialization may have a single invocation clear all of
    /// it.
    AllButLoops,
    /// No checks. On an NVIDIA H200, checks take a tenth of the time of the counting passes.
    None,
}

/// An entry point of a shader, and the groups that it binds.
#[derive(Debug)]
pub struct EntryPoint {
    /// Its name.
    pub name: &'static str,
    /// The groups, numbered from 0.
    pub groups: &'static [&'static GroupLayout],
}

const fn entry(name: &'static str, groups: &'static [&'static GroupLayout]) -> EntryPoint {
    EntryPoint { name, groups }
}

/// A row of the table.
#[derive(Debug)]
pub struct Shader {
    /// The texts in the order in which they are joined; the last one is the shader's own.
    pub texts: &'static [Text],
    checks: Checks,
    /// The entry points of the passes.
    pub entry_points: &'static [EntryPoint],
}

/// Defines a static for each row, and `ALL` with every row.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident = ($checks:ident, $texts:expr, $entry_points:expr $(,)?);)*) => {
        $($(#[$doc])* pub static $name: Shader =
            Shader { texts: &$texts, checks: Checks::$checks, entry_points: &$entry_points };)*

        /// Every row of the table.
        pub static ALL: &[&Shader] = &[$(&$name),*];
    };
}

table! {
    /// Counts a picture into chunks.
    CHUNK = (None, [PICTURE_TEXT, STRIPS, TALLY, text!("chunk")], [
        entry("chunk", &[&groups::PICTURE, &groups::CHUNKS, &groups::REGION]),
    ]);
    /// Sums the chunks.
    REDUCE = (None, [text!("reduce")], [entry("reduce", &[&groups::SUMS])]);
    /// Computes the scales.
    SCALE = (None, [text!("scale")], [entry("scale", &[&groups::SCALES])]);
    /// Counts waveforms.
    WAVEFORM = (AllButLoops, [PICTURE_TEXT, STRIPS, text!("waveform")], [
        entry("count_columns", &[&groups::PICTURE, &groups::WAVEFORM]),
    ]);
    /// Counts vectorscopes.
    VECTORSCOPE = (AllButLoops, [PICTURE_TEXT, STRIPS, PAIRS, text!("vectorscope")], [
        entry("count_pairs", &[&groups::PICTURE, &groups::VECTORSCOPE]),
    ]);
    /// Draws waveforms and vectorscopes.
    TRACE = (All, [text!("trace")], [
        entry("corner", &[&groups::TRACE]),
        entry("plate", &[&groups::TRACE]),
        entry("painted", &[&groups::TRACE]),
        entry("waveform", &[&groups::TRACE]),
        entry("vectorscope", &[&groups::TRACE]),
    ]);
    /// Counts the pixels that a brush selects.
    SELECTION = (All, [PICTURE_TEXT, text!("selection")], [
        entry("count_selected", &[&groups::PICTURE, &groups::SELECTION]),
    ]);
    /// Finds the pixels that the scopes' brushes select.
    BRUSH = (All, [PICTURE_TEXT, PAIRS, text!("brush")], [
        entry("select_pixels", &[&groups::PICTURE, &groups::BRUSH]),
    ]);
    /// Counts the pixels that the scopes' brushes select.
    BRUSHED = (All, [PICTURE_TEXT, PAIRS, text!("brushed")], [
        entry("count_channels", &[&groups::PICTURE, &groups::BRUSHED]),
        entry("count_pairs", &[&groups::PICTURE, &groups::BRUSHED]),
    ]);
    /// Counts the pixels outside limits.
    LIMITS = (All, [PICTURE_TEXT, text!("limits")], [entry("count_outside", &[&groups::PICTURE, &groups::LIMITS])]);
    /// Counts the luminance in linear light.
    LINEAR = (All, [PICTURE_TEXT, text!("linear")], [entry("count_linear", &[&groups::PICTURE, &groups::LINEAR])]);
    /// Counts the light of pixels.
    PIXEL_LIGHT = (AllButLoops, [PICTURE_TEXT, STRIPS, HLG_LIGHT, text!("pixel_light")], [
        entry("count_light", &[&groups::PICTURE, &groups::PIXEL_LIGHT]),
    ]);
    /// Draws a picture, and finds the pixels that a brush lights.
    VIDEO = (All, [PICTURE_TEXT, HLG_LIGHT, text!("video")], [
        entry("corner", &[&groups::PICTURE, &groups::PLACEMENT]),
        entry("video", &[&groups::PICTURE, &groups::PLACEMENT]),
        entry("light", &[&groups::PICTURE, &groups::PLACEMENT, &groups::LIGHT]),
    ]);
    /// Computes the columns of an overlay.
    COLUMNS = (All, [PANEL, text!("columns")], [entry("find", &[&groups::COLUMNS])]);
    /// Draws an overlay.
    OVERLAY = (All, [PANEL, text!("overlay")], [
        entry("corner", &[&groups::OVERLAY]),
        entry("histogram", &[&groups::OVERLAY]),
    ]);
    /// Turns a drawn view into light.
    OUTPUT = (All, [text!("output")], [entry("corner", &[&groups::OUTPUT]), entry("emit", &[&groups::OUTPUT])]);
    /// Draws the line between two pictures.
    DIVIDER = (All, [text!("divider")], [entry("corner", &[&groups::DIVIDER]), entry("divide", &[&groups::DIVIDER])]);
    /// Computes prefix sums.
    SCAN = (AllButLoops, [SCAN_BLOCK, text!("adjust/scan")], [
        entry("blocks", &[&groups::SCAN]),
        entry("sums", &[&groups::SCAN]),
        entry("add", &[&groups::SCAN]),
    ]);
    /// Computes curves from bins.
    CURVES = (AllButLoops, [SCAN_BLOCK, EXACT, text!("adjust/curves")], [
        entry("equalize", &[&groups::CURVES]),
        entry("populate", &[&groups::CURVES]),
    ]);
    /// Changes every pixel independently.
    RECOLOR = (AllButLoops, [PICTURE_TEXT, STRIPS, RECOLOR_TEXT], [entry("change", &[&groups::PICTURE, &groups::RECOLOR])]);
    /// Like [`RECOLOR`], but also counts its output.
    RECOLOR_COUNT = (None, [PICTURE_TEXT, STRIPS, TALLY, RECOLOR_TEXT, text!("adjust/recolor_count")], [
        entry("change", &[&groups::PICTURE, &groups::RECOLOR]),
        entry("change_and_count", &[&groups::PICTURE, &groups::RECOLOR, &groups::CHUNKS]),
    ]);
    /// Blurs with a box, along the rows and along the columns.
    BLUR = (AllButLoops, [PICTURE_TEXT, STRIPS, text!("adjust/blur")], [
        entry("across", &[&groups::PICTURE, &groups::BLUR_ROWS]),
        entry("down", &[&groups::BLUR_COLUMNS]),
    ]);
    /// Counts the histograms of tiles.
    CLAHE_TILES = (AllButLoops, [PICTURE_TEXT, STRIPS, text!("adjust/clahe_tiles")], [
        entry("count_tiles", &[&groups::PICTURE, &groups::TILES]),
    ]);
    /// Computes the curves of tiles.
    CLAHE_CURVES = (AllButLoops, [EXACT, text!("adjust/clahe_curves")], [
        entry("curve_of_tile", &[&groups::TILE_CURVES]),
        entry("pack_cells", &[&groups::TILE_CURVES]),
    ]);
    /// Computes Otsu's thresholds.
    OTSU = (AllButLoops, [EXACT, text!("adjust/otsu")], [
        entry("add_levels", &[&groups::OTSU]),
        entry("score_runs", &[&groups::OTSU]),
        entry("cut", &[&groups::OTSU]),
    ]);
    /// Crops a part of an adjusted picture.
    CROP = (AllButLoops, [text!("adjust/crop")], [entry("crop", &[&groups::CROP])]);
    /// Computes the difference of two pictures.
    DIFFERENCE = (AllButLoops, [PICTURE_TEXT, text!("adjust/difference")], [
        entry("unpack", &[&groups::PICTURE, &groups::DIFFERENCE]),
        entry("subtract", &[&groups::PICTURE, &groups::DIFFERENCE]),
    ]);
    /// Counts with a single invocation.
    SINGLE = (All, [IMAGE, text!("lab/single")], [entry("count", &[&groups::IMAGE_BINS])]);
    /// Counts with a data race.
    RACE = (All, [IMAGE, text!("lab/race")], [entry("count", &[&groups::IMAGE_BINS])]);
    /// Counts with atomics.
    ATOMICS = (All, [IMAGE, text!("lab/atomics")], [entry("count", &[&groups::IMAGE_BINS])]);
    /// Counts in chunks, as in the tutorial.
    CHUNKS = (All, [IMAGE, TILE, text!("lab/chunks")], [entry("count", &[&groups::IMAGE_BINS])]);
    /// Counts in chunks, and adds them with atomics.
    SHARED = (All, [IMAGE, TILE, text!("lab/shared")], [entry("count", &[&groups::IMAGE_BINS])]);
    /// Counts with atomics, once for equal bins in a subgroup.
    SUBGROUP = (All, [IMAGE, text!("lab/subgroup")], [entry("count", &[&groups::IMAGE_BINS])]);
    /// Sums chunks, as in the tutorial.
    SUM = (All, [text!("lab/sum")], [entry("one", &[&groups::CHUNK_SUM]), entry("four", &[&groups::CHUNK_SUM])]);
    /// Sums pairs of chunks, as in the tutorial.
    PAIRWISE = (All, [text!("lab/pairwise")], [entry("one", &[&groups::CHUNK_PAIRS]), entry("four", &[&groups::CHUNK_PAIRS])]);
    /// Makes the image that the tutorial's methods count.
    CONVERT = (All, [PICTURE_TEXT, LAB_CODES, text!("lab/convert")], [entry("convert", &[&groups::PICTURE, &groups::LAB_IMAGE])]);
    /// Computes the expected counts, for comparison with those of a method.
    EXPECTED = (All, [PICTURE_TEXT, LAB_CODES, text!("lab/expected")], [entry("expect", &[&groups::PICTURE, &groups::LAB_EXPECTED])]);
    /// Regroups bins into a different number of bins.
    REGROUP = (All, [text!("regroup")], [entry("regroup", &[&groups::REGROUP])]);
    /// Blurs as in tutorials.
    LAB_BLUR = (AllButLoops, [text!("lab/blur")], [
        entry("square", &[&groups::LAB_BLUR]),
        entry("separable", &[&groups::LAB_BLUR]),
        entry("tiled", &[&groups::LAB_BLUR]),
        entry("running", &[&groups::LAB_BLUR]),
    ]);
    /// Computes prefix sums as in tutorials.
    LAB_SCAN = (AllButLoops, [SCAN_BLOCK, text!("lab/scan")], [
        entry("naive", &[&groups::SCAN]),
        entry("hillis_steele", &[&groups::SCAN]),
        entry("blelloch", &[&groups::SCAN]),
        entry("add", &[&groups::SCAN]),
    ]);
    /// Draws bars as in the tutorial, and column by column.
    LAB_DRAWING = (All, [text!("lab/drawing")], [
        entry("scale", &[&groups::LAB_FULL]),
        entry("find", &[&groups::LAB_COLUMNS]),
        entry("corner", &[]),
        entry("asks", &[&groups::LAB_BARS]),
        entry("reads", &[&groups::LAB_BARS]),
    ]);
    /// Only reads the planes.
    FLOOR = (All, [text!("lab/floor")], [entry("read_planes", &[&groups::PICTURE, &groups::FLOOR])]);
}

impl Shader {
    /// Returns the path of its own text, which identifies the shader.
    #[must_use]
    pub fn path(&self) -> &'static str {
        self.texts.last().map_or("", |text| text.path)
    }

    /// Returns its complete source text.
    #[must_use]
    pub fn source(&self) -> String {
        self.texts.iter().map(|text| text.wgsl).collect::<Vec<_>>().join("\n")
    }

    /// Compiles the shader.
    #[must_use]
    pub fn module(&'static self, device: &wgpu::Device) -> Module {
        let source = wgpu::ShaderSource::Wgsl(self.source().into());
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(self.path()), source };
        let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
        let module = match self.checks {
            Checks::All => device.create_shader_module(descriptor),
            // SAFETY: the sources are part of this program, and every loop in them has an end that does not depend on
            // the contents of pictures or bins. All other checks stay enabled.
            Checks::AllButLoops => unsafe { device.create_shader_module_trusted(descriptor, checks) },
            // SAFETY: the four sources (chunk, reduce, scale, recolor_count) are part of this program, and the only
            // external input is the picture's planes, whose codes are masked or clamped to n bits before they index
            // curves or bins, all of which have 2^n words per channel or cell. Words of the planes, chunks, bins and
            // the changed picture are addressed by sizes that the passes derive from the buffers themselves, chunks by
            // a plan that stays within the chunk buffer. Blocks at the right and lower edges, which extend past a row,
            // stay inside its padded stride or are clamped to the last row. Results of curves are masked to n bits,
            // scaled colours are limited to n bits, and the tones of classes, of which at most five of eight are used,
            // come from the CPU. Cells are numbered by columns and rows from the CPU, with the columns clamped to the
            // picture's, and there are always four words of thresholds. Every loop has an end that does not depend on
            // the data read.
            Checks::None => unsafe {
                device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
            },
        };
        Module { shader: self, module }
    }
}

/// A compiled shader that pipelines are created from.
#[derive(Debug, Clone)]
pub struct Module {
    shader: &'static Shader,
    module: wgpu::ShaderModule,
}

impl Module {
    /// Creates the pipeline of a compute pass.
    #[must_use]
    pub fn compute(
        &self,
        device: &wgpu::Device,
        entry_point: &'static str,
        constants: &[(&str, f64)],
    ) -> wgpu::ComputePipeline {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&self.layout(device, entry_point)),
            module: &self.module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                zero_initialize_workgroup_memory: self.shader.checks == Checks::All,
            },
            cache: None,
        })
    }

    /// Creates the pipeline that draws one rectangle to a view, with its four corners from the shader's vertex function
    /// `corner`.
    #[must_use]
    pub fn rectangle(
        &self,
        device: &wgpu::Device,
        fragment: &'static str,
        constants: &[(&str, f64)],
        format: wgpu::TextureFormat,
        blend: Option<wgpu::BlendState>,
    ) -> wgpu::RenderPipeline {
        let compilation_options = wgpu::PipelineCompilationOptions { constants, ..Default::default() };
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(fragment),
            layout: Some(&self.layout(device, fragment)),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some("corner"),
                compilation_options: compilation_options.clone(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::TriangleStrip, ..Default::default() },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &self.module,
                entry_point: Some(fragment),
                compilation_options,
                targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Creates the layout of the pipelines of an entry point. wgpu rejects an entry point that is not in the table.
    fn layout(&self, device: &wgpu::Device, entry_point: &'static str) -> wgpu::PipelineLayout {
        let row = self.shader.entry_points.iter().find(|row| row.name == entry_point);
        let groups: Vec<_> = row.into_iter().flat_map(|row| row.groups).map(|group| group.layout(device)).collect();
        let groups: Vec<_> = groups.iter().map(Some).collect();
        device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(entry_point),
            bind_group_layouts: &groups,
            immediate_size: 0,
        })
    }
}
