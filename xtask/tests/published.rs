//! What is published from the code is what the code says.

#[test]
fn the_published_schema_is_current() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/case.schema.json");
    let published = std::fs::read_to_string(file).unwrap();
    let current = serde_json::to_string_pretty(&model::case_file::schema()).unwrap();
    assert_eq!(published.trim_end(), current, "run: cargo run -p xtask -- schema");
}

/// An unknown key must be refused by an editor as it is by the program.
#[test]
fn the_schema_knows_every_setting() {
    let schema = serde_json::to_value(model::case_file::schema()).unwrap();
    for knob in model::setting_table::KNOBS {
        let mut place = &schema["properties"]["settings"];
        for part in knob.key.split('.') {
            place = &place["properties"][part];
        }
        assert!(place["description"].is_string(), "{} is missing", knob.key);
    }
}
