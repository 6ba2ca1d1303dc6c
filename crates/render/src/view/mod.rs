//! Pure decisions about what is shown and where: the scene, the panels, the placement, the brushes and the probe.

pub mod binning;
pub mod brush;
pub mod brushes;
pub mod clip_indicators;
pub mod count;
pub mod datascope;
pub mod exposure;
pub mod guides;
pub mod look;
pub mod marked;
pub mod overlay;
pub mod panel;
pub mod panel_params;
pub mod placement;
pub mod probe;
pub mod probe_table;
pub mod probes;
pub mod rect;
pub mod reference_lines;
pub mod region;
pub mod scene;
pub mod scopes;
pub mod sharing;
