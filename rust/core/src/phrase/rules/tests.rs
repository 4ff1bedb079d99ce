use super::*;

fn rules_of(source: &str, target: &str, links: &str, options: &RuleOptions) -> Vec<String> {
    let block = Block {
        target: target.as_bytes(),
        source: source.as_bytes(),
        alignment: links.as_bytes(),
        weights: None,
        first_line: 1,
    };
    let written = write(block, options, 1, &CancelToken::new())
        .unwrap()
        .unwrap();
    let text: Vec<u8> = written
        .iter()
        .flat_map(|part| part.direct.clone())
        .collect();
    String::from_utf8(text)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_initial_phrase_pair_is_shared_out_to_its_rules() {
    let rules = rules_of(
        "a b c d\n",
        "w x y\n",
        "0-0 1-1 2-1 3-2\n",
        &RuleOptions::default(),
    );
    assert_eq!(
        rules,
        [
            "a [X] ||| w [X] ||| 0-0 ||| 1",
            "b c [X] ||| x [X] ||| 0-0 1-0 ||| 1",
            "d [X] ||| y [X] ||| 0-0 ||| 1",
            "a b c [X] ||| w x [X] ||| 0-0 1-1 2-1 ||| 0.5",
            "a [X][X] [X] ||| w [X][X] [X] ||| 0-0 1-1 ||| 0.75",
            "b c d [X] ||| x y [X] ||| 0-0 1-0 2-1 ||| 0.5",
            "[X][X] d [X] ||| [X][X] y [X] ||| 1-1 0-0 ||| 0.75",
            "a b c d [X] ||| w x y [X] ||| 0-0 1-1 2-1 3-2 ||| 0.25",
            "a [X][X] d [X] ||| w [X][X] y [X] ||| 0-0 2-2 1-1 ||| 0.25",
        ]
    );
}

#[test]
fn gaps_that_cross_are_linked_crosswise() {
    let options = RuleOptions {
        min_gap_source: 1,
        ..RuleOptions::default()
    };
    let rules = rules_of("a b c\n", "x y z\n", "0-2 1-1 2-0\n", &options);
    assert!(
        rules.contains(
            &"[X][X] b [X][X] [X] ||| [X][X] y [X][X] [X] ||| 1-1 2-0 0-2 ||| 0.142857".to_owned()
        ),
        "{rules:?}"
    );
}

#[test]
fn words_that_look_like_gaps_are_refused() {
    let block = Block {
        target: b"x\n",
        source: b"[X]\n",
        alignment: b"0-0\n",
        weights: None,
        first_line: 7,
    };
    let misfit = write(block, &RuleOptions::default(), 1, &CancelToken::new())
        .unwrap()
        .unwrap_err();
    assert_eq!(misfit.0, Input::Source);
    assert!(misfit.1.to_string().contains("square brackets"));
}
