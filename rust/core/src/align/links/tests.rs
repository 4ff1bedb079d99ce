use super::*;

fn links(sentences: &[&[(u32, u32)]]) -> Links {
    let mut builder = LinksBuilder::new(false);
    for sentence in sentences {
        for &(i, j) in *sentence {
            builder.push(Link::new(i, j), 1.0);
        }
        builder.finish_sentence();
    }
    builder.finish()
}

#[test]
fn the_builder_sorts_and_removes_repeats() {
    let built = links(&[&[(2, 1), (0, 3), (2, 1), (0, 0)], &[], &[(1, 1)]]);
    assert_eq!(
        built.sentence(0),
        [Link::new(0, 0), Link::new(0, 3), Link::new(2, 1)]
    );
    assert!(built.sentence(1).is_empty());
    assert_eq!(built.offsets, [0, 3, 3, 4]);
    assert_eq!(built.validate(), Ok(()));
}

#[test]
fn of_repeated_links_the_most_probable_stays() {
    let mut builder = LinksBuilder::new(true);
    for (link, p) in [
        (Link::new(1, 0), 0.25),
        (Link::new(0, 0), 0.5),
        (Link::new(1, 0), 0.75),
    ] {
        builder.push(link, p);
    }
    builder.finish_sentence();
    // What is pushed after the last finished sentence is not part of the result.
    builder.push(Link::new(9, 9), 1.0);
    let built = builder.finish();
    assert_eq!(built.probabilities, Some(vec![0.5, 0.75]));
    assert_eq!(built.links.len(), 2);
}

#[test]
fn bad_parts_are_refused_with_their_place() {
    type Parts = (Vec<Link>, Vec<u64>, Option<Vec<f32>>, &'static str);
    let two = vec![Link::new(0, 0), Link::new(0, 1)];
    let cases: [Parts; 9] = [
        (two.clone(), vec![], None, "start with 0"),
        (two.clone(), vec![1, 2], None, "start with 0"),
        (two.clone(), vec![0, 2, 1], None, "must not fall"),
        (two.clone(), vec![0, 1], None, "last offset"),
        (
            two.clone(),
            vec![0, 2],
            Some(vec![0.5]),
            "one probability per link",
        ),
        (
            two.clone(),
            vec![0, 2],
            Some(vec![0.5, f32::NAN]),
            "NaN for link 0-1",
        ),
        (
            two.clone(),
            vec![0, 2],
            Some(vec![1.5, 0.5]),
            "1.5 for link 0-0",
        ),
        (
            two.into_iter().rev().collect(),
            vec![0, 2],
            None,
            "0-1 before 0-0",
        ),
        (vec![Link::new(0, u32::MAX)], vec![0, 1], None, "below 2^31"),
    ];
    for (links, offsets, probabilities, expected) in cases {
        let message = Links::new(links, offsets, probabilities)
            .map_err(|e| e.to_string())
            .err();
        assert!(
            message.as_ref().is_some_and(|m| m.contains(expected)),
            "{message:?} lacks {expected}"
        );
    }
}

#[test]
fn links_outside_of_the_sentence_are_found() {
    let given = links(&[&[(0, 0)], &[(1, 2)]]);
    assert_eq!(given.check_within(&[1, 2], &[1, 3]), Ok(()));
    let message = given
        .check_within(&[1, 2], &[1, 2])
        .map_err(|e| e.to_string());
    assert!(
        message
            .as_ref()
            .is_err_and(|m| m.contains("sentence pair 2") && m.contains("1-2")),
        "{message:?}"
    );
    assert!(matches!(
        given.check_within(&[1], &[1, 3]),
        Err(Error::UnequalLength {
            shorter: "the source text",
            shorter_len: 1,
            ..
        })
    ));
}

#[test]
fn transposing_twice_changes_nothing() {
    let given = links(&[&[(0, 3), (1, 0), (1, 2)], &[]]);
    assert_eq!(
        given.transposed().sentence(0),
        [Link::new(0, 1), Link::new(2, 1), Link::new(3, 0)]
    );
    assert_eq!(given.transposed().transposed(), given);
}

#[test]
fn concatenation_keeps_sentences_and_refuses_a_mixture() {
    let (a, b) = (links(&[&[(0, 0)], &[]]), links(&[&[(1, 1)]]));
    assert_eq!(
        Links::concatenate([&a, &b]),
        Ok(links(&[&[(0, 0)], &[], &[(1, 1)]]))
    );
    let mut with = b.clone();
    with.probabilities = Some(vec![0.5]);
    assert!(Links::concatenate([&a, &with]).is_err());
    assert!(Links::concatenate([&with, &a]).is_err());
}
