//! The counts of scopes as figures.

use serde::Serialize;
use serde_json::{Map, Value, json};

use histoscope_core::scopes::{ScopeChoice, ScopeCounts, Vectorscope, Waveform};

/// The scopes of one frame, those that were wanted.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ScopeFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    waveform: Option<Value>,
    /// Null where the picture has no colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectorscope: Option<Value>,
}

/// Those of the source, beside those of what adjustments make of it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SourceScopeFigures {
    #[serde(rename = "source_waveform", skip_serializing_if = "Option::is_none")]
    waveform: Option<Value>,
    #[serde(rename = "source_vectorscope", skip_serializing_if = "Option::is_none")]
    vectorscope: Option<Value>,
}

impl From<ScopeFigures> for SourceScopeFigures {
    fn from(ScopeFigures { waveform, vectorscope }: ScopeFigures) -> Self {
        Self { waveform, vectorscope }
    }
}

impl ScopeFigures {
    /// Of what was counted.
    #[must_use]
    pub fn of(counts: &ScopeCounts, wanted: ScopeChoice) -> Self {
        Self {
            waveform: counts.waveform.as_ref().map(waveform_value),
            vectorscope: wanted.vectorscope.then(|| counts.vectorscope.as_ref().map_or(Value::Null, vectorscope_value)),
        }
    }
}

fn waveform_value(waveform: &Waveform) -> Value {
    let columns_of = |channel: usize| {
        (0..waveform.columns[channel]).map(|column| waveform.column(channel, column).into()).collect::<Vec<Value>>()
    };
    let names = waveform.components.channel_names().iter().enumerate();
    let channels: Map<_, _> = names
        .filter(|(channel, _)| waveform.columns[*channel] > 0)
        .map(|(channel, name)| ((*name).to_owned(), columns_of(channel).into()))
        .collect();
    json!({ "columns": waveform.columns[0], "levels": waveform.levels(), "channels": channels })
}

fn vectorscope_value(scope: &Vectorscope) -> Value {
    let rows: Vec<Value> = scope.counts.chunks_exact(scope.levels()).map(Value::from).collect();
    json!({ "levels": scope.levels(), "counts": rows })
}
