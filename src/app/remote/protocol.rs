//! The lines of mpv's JSON IPC: requests, answers and events.

use serde_json::{Map, Value, json};

/// A value, or the reason why there is none.
pub type CallResult = Result<Value, String>;

/// The reason for a property that does not exist, in mpv's words.
pub const NOT_FOUND: &str = "property not found";
/// The reason for a property without a value at present, in mpv's words.
pub const UNAVAILABLE: &str = "property unavailable";

/// What a client asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// Return a property.
    Get(String),
    /// Change a property.
    Set(String, Value),
    /// Report a property whenever it changes, under this number.
    Observe(i64, String),
    /// Stop reporting under this number.
    Unobserve(i64),
    /// Do what a key does: the name of an action, and its values.
    Do(String, Vec<Value>),
}

/// Parses a line. Returns what it asks for, or what is wrong with it, and the number of the request, or 0.
pub fn parse(line: &str) -> (Result<Call, String>, i64) {
    let Ok(Value::Object(request)) = serde_json::from_str(line) else {
        return (
            Err("a line must be a JSON object such as {\"command\": [\"get_property\", \"pause\"]}".to_owned()),
            0,
        );
    };
    let id = request.get("request_id").and_then(Value::as_i64).unwrap_or(0);
    (call(&request), id)
}

fn call(request: &Map<String, Value>) -> Result<Call, String> {
    let words = request.get("command").and_then(Value::as_array);
    let words = words.and_then(|words| Some((words.first()?.as_str()?, &words[1..])));
    let Some((name, values)) = words else {
        return Err("\"command\" must be a list that begins with a command's name".to_owned());
    };
    let text = |place: usize| values.get(place).and_then(Value::as_str).map(str::to_owned);
    let number = || values.first().and_then(Value::as_i64);
    let needs = |what: &str| format!("'{name}' needs {what}");
    match (name, values.len()) {
        ("get_property", 1) => text(0).map(Call::Get).ok_or_else(|| needs("a property's name")),
        ("get_property", _) => Err(needs("a property's name")),
        ("set_property", 2) => {
            text(0).map(|name| Call::Set(name, values[1].clone())).ok_or_else(|| needs("a property's name and a value"))
        }
        ("set_property", _) => Err(needs("a property's name and a value")),
        ("observe_property", _) => {
            let both = number().zip(text(1)).filter(|_| values.len() == 2);
            both.map(|(id, name)| Call::Observe(id, name)).ok_or_else(|| needs("a number and a property's name"))
        }
        ("unobserve_property", _) => {
            number().filter(|_| values.len() == 1).map(Call::Unobserve).ok_or_else(|| needs("a number"))
        }
        // The name of an action may follow the word itself.
        ("command", 1..) => {
            let name = text(0).ok_or_else(|| needs("a command's name"))?;
            Ok(Call::Do(name, values[1..].to_vec()))
        }
        _ => Ok(Call::Do(name.to_owned(), values.to_vec())),
    }
}

/// Returns the answer to a request.
#[must_use]
pub fn answer(id: i64, result: CallResult) -> Value {
    match result {
        Ok(data) => json!({ "data": data, "request_id": id, "error": "success" }),
        Err(error) => json!({ "request_id": id, "error": error }),
    }
}

/// Returns the event of a property that has changed. It has no data while the property has no value.
#[must_use]
pub fn change(id: i64, name: &str, value: &CallResult) -> Value {
    let mut event = json!({ "event": "property-change", "id": id, "name": name });
    if let Ok(value) = value {
        event["data"] = value.clone();
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_mpv_are_read() {
        let read = |line: &str| parse(line).0;
        let name = |name: &str| name.to_owned();
        assert_eq!(read(r#"{"command":["get_property","pause"]}"#), Ok(Call::Get(name("pause"))));
        assert_eq!(
            parse(r#"{ "command": ["set_property", "time-pos", 1.5], "request_id": 7, "async": true }"#),
            (Ok(Call::Set(name("time-pos"), json!(1.5))), 7)
        );
        assert_eq!(read(r#"{"command":["observe_property",3,"speed"]}"#), Ok(Call::Observe(3, name("speed"))));
        assert_eq!(read(r#"{"command":["unobserve_property",3]}"#), Ok(Call::Unobserve(3)));
        let step = Call::Do(name("step"), vec![json!(true)]);
        assert_eq!(read(r#"{"command":["step",true]}"#), Ok(step.clone()));
        assert_eq!(read(r#"{"command":["command","step",true]}"#), Ok(step));
    }

    #[test]
    fn wrong_lines_are_refused_with_one_sentence() {
        for line in [
            "",
            "pause",
            "[]",
            "{}",
            r#"{"command":"pause"}"#,
            r#"{"command":[]}"#,
            r#"{"command":[1]}"#,
            r#"{"command":["get_property"]}"#,
            r#"{"command":["get_property",1]}"#,
            r#"{"command":["set_property","pause"]}"#,
            r#"{"command":["observe_property","pause"]}"#,
            r#"{"command":["unobserve_property"]}"#,
        ] {
            let refusal = parse(line).0.unwrap_err();
            assert!(refusal.contains("must be") || refusal.contains("needs"), "{line}: {refusal}");
        }
    }

    #[test]
    fn answers_and_events_are_those_of_mpv() {
        assert_eq!(answer(7, Ok(json!(true))).to_string(), r#"{"data":true,"request_id":7,"error":"success"}"#);
        assert_eq!(
            answer(0, Err(NOT_FOUND.to_owned())).to_string(),
            r#"{"request_id":0,"error":"property not found"}"#
        );
        let event = change(3, "pause", &Ok(json!(false))).to_string();
        assert_eq!(event, r#"{"event":"property-change","id":3,"name":"pause","data":false}"#);
        let event = change(3, "path", &Err(UNAVAILABLE.to_owned())).to_string();
        assert_eq!(event, r#"{"event":"property-change","id":3,"name":"path"}"#);
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_line_is_read_or_refused(line in "\\PC{0,40}|\\{\"command\":\\[[\"a-z_0-9,\\[\\] ]{0,30}\\]\\}") {
            let (call, _) = parse(&line);
            if let Err(refusal) = call {
                proptest::prop_assert!(!refusal.contains('\n'));
            }
        }
    }
}
