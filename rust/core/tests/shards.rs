//! Training of a corpus that is cut into shards of sentences: `accumulate`, `merge` and `estimate` driven from outside, as another engine would.

use plait_core::align::ibm::em::MaximumLikelihood;
use plait_core::align::ibm::emissions::{Block, Direction, Emissions};
use plait_core::align::ibm::expectation::{self, Expectation};
use plait_core::align::ibm::gibbs::{Gibbs, State};
use plait_core::align::ibm::initial;
use plait_core::align::ibm::lexicon::Columns;
use plait_core::align::ibm::pairs::PairCounts;
use plait_core::align::ibm::placement::{Model, Tail};
use plait_core::align::ibm::rows::Rows;
use plait_core::align::ibm::strategy::Strategy;
use plait_core::cancel::CancelToken;
use plait_core::ids::WordId;
use plait_core::rng::Stream;
use plait_core::text::{Bitext, Side, Vocabulary};

const PAIRS: usize = 120;
const SHARDS: usize = 3;
const MODEL: Model = Model::Two(Tail::Shared);

fn side(key: u64) -> Side {
    let draws = Stream::new(&[key]);
    let (mut tokens, mut offsets) = (Vec::new(), vec![0]);
    let mut next = 0..;
    for _ in 0..PAIRS {
        let len = draws.below(next.next().unwrap_or(0), 12) + 1;
        for _ in 0..len {
            // The product of two draws makes some words frequent and most rare.
            let a = draws.below(next.next().unwrap_or(0), 8);
            let b = draws.below(next.next().unwrap_or(0), 8);
            tokens.push(WordId::from_u32(a * b));
        }
        offsets.push(tokens.len() as u64);
    }
    let words = (0..50).map(|n| format!("w{n}")).collect();
    Side::new(Vocabulary::from_words(words), tokens, offsets)
}

/// The whole corpus, or the part of one shard: the same vocabularies, other pairs usable.
fn corpus(shard: Option<usize>) -> Bitext {
    let usable = (0..PAIRS)
        .map(|n| shard.is_none_or(|s| n % SHARDS == s))
        .collect();
    Bitext::new(side(1), side(2), usable)
}

/// The same cut of the types for every shard.
fn blocks(whole: &Emissions<'_>, part: &Emissions<'_>) -> Vec<Block> {
    let cut = whole.blocks(4);
    cut.into_iter()
        .map(|block| part.block(block.index, block.types))
        .collect()
}

fn em(whole: &Emissions<'_>) -> Expectation<MaximumLikelihood> {
    Expectation {
        update: MaximumLikelihood,
        model: MODEL,
        null_probability: None,
        columns: whole
            .blocks(4)
            .iter()
            .map(|block| Columns::new(whole, block))
            .collect(),
        emitted_types: whole.emitted().vocabulary().len(),
        wants_objective: true,
    }
}

fn train_em(parts: &[&Emissions<'_>], whole: &Emissions<'_>) -> expectation::Parameters {
    let strategy = em(whole);
    let mut parameters = strategy.uniform(whole.null());
    for _ in 0..4 {
        let mut sum = None;
        for part in parts {
            for block in blocks(whole, part) {
                let cancel = CancelToken::new();
                let statistics = strategy
                    .accumulate(part, &block, &mut (), &parameters, &cancel)
                    .expect("small");
                match &mut sum {
                    None => sum = Some(statistics),
                    Some(sum) => strategy.merge(sum, statistics).expect("small"),
                }
            }
        }
        parameters = strategy
            .estimate(parameters, sum.expect("there are blocks"))
            .expect("small");
    }
    parameters
}

#[test]
fn em_on_shards_in_any_order_gives_the_bits_of_the_whole() {
    let whole = corpus(None);
    let shards: Vec<Bitext> = (0..SHARDS).map(|s| corpus(Some(s))).collect();
    for direction in Direction::BOTH {
        let all = Emissions::new(&whole, direction).expect("small");
        let parts: Vec<Emissions<'_>> = shards
            .iter()
            .map(|shard| Emissions::new(shard, direction).expect("small"))
            .collect();
        let expected = train_em(&[&all], &all);
        for order in [[0, 1, 2], [2, 0, 1]] {
            let order: Vec<&Emissions<'_>> = order.iter().map(|&s| &parts[s]).collect();
            let got = train_em(&order, &all);
            assert_eq!(got.counts, expected.counts);
            assert_eq!(got.totals, expected.totals);
            assert_eq!(
                got.jumps.map(f64::to_bits),
                expected.jumps.map(f64::to_bits)
            );
        }
    }
}

/// One shard of a sampled corpus.
struct Shard<'a> {
    emissions: Emissions<'a>,
    blocks: Vec<Block>,
    states: Vec<State>,
    strategy: Gibbs,
}

fn shard<'a>(text: &'a Bitext, whole: &Emissions<'_>) -> Shard<'a> {
    let emissions = Emissions::new(text, whole.direction()).expect("small");
    let rows = Rows::new(&emissions, text.usable(), &CancelToken::new()).expect("small");
    let blocks = vec![emissions.block(0, 0..whole.emitted().vocabulary().len())];
    let states = blocks
        .iter()
        .map(|block| {
            State::new(
                &emissions,
                &rows,
                block,
                initial::uniform(&emissions, block, 7, 0),
            )
        })
        .collect();
    Shard {
        emissions,
        blocks,
        states,
        strategy: Gibbs {
            rows,
            model: MODEL,
            null_probability: None,
            theta: 1e-3,
            phi: 1.0,
            seed: 7,
            chain: 0,
        },
    }
}

fn pairs(shard: &Shard<'_>) -> PairCounts {
    PairCounts::of(&shard.emissions, &shard.blocks, &shard.states)
}

fn together(shards: &[Shard<'_>]) -> PairCounts {
    let all: Vec<PairCounts> = shards.iter().map(pairs).collect();
    all[1..]
        .iter()
        .fold(all[0].clone(), |sum, part| sum.plus(part))
}

/// Sweeps all shards, each against the counts of the others as they were when the sweep began; returns the links in the order of the shards.
fn sample(order: &[usize], sweeps: u64) -> Vec<Vec<u16>> {
    let whole_text = corpus(None);
    let whole = Emissions::new(&whole_text, Direction::TargetGivenSource).expect("small");
    let texts: Vec<Bitext> = (0..SHARDS).map(|s| corpus(Some(s))).collect();
    let mut shards: Vec<Shard<'_>> = texts.iter().map(|text| shard(text, &whole)).collect();
    let counts: Vec<_> = shards
        .iter()
        .map(|s| s.strategy.count(&s.emissions, &s.blocks, &s.states))
        .collect();
    let mut parameters = counts[0].clone();
    for part in &counts[1..] {
        parameters
            .totals
            .iter_mut()
            .zip(&part.totals)
            .for_each(|(sum, n)| *sum += n);
        parameters
            .jumps
            .iter_mut()
            .zip(&part.jumps)
            .for_each(|(sum, n)| *sum += n);
    }
    for _ in 0..sweeps {
        let all = together(&shards);
        let mut sum = None;
        for &s in order {
            let shard = &mut shards[s];
            let mut view = parameters.clone();
            view.elsewhere = Some(all.without(&pairs(shard)));
            let cancel = CancelToken::new();
            let statistics = shard
                .strategy
                .accumulate(
                    &shard.emissions,
                    &shard.blocks[0],
                    &mut shard.states[0],
                    &view,
                    &cancel,
                )
                .expect("small");
            match &mut sum {
                None => sum = Some(statistics),
                Some(sum) => shard.strategy.merge(sum, statistics).expect("small"),
            }
        }
        parameters = shards[0]
            .strategy
            .estimate(parameters, sum.expect("shards"))
            .expect("small");
        // The statistics kept up with the links.
        let mut totals = vec![0_u32; parameters.totals.len()];
        let now = together(&shards);
        for word in 0..whole.emitted().vocabulary().len() {
            now.column(word)
                .for_each(|(e, count)| totals[e as usize] += count);
        }
        assert_eq!(totals, parameters.totals);
        assert_eq!(totals.iter().sum::<u32>() as usize, whole.len());
    }
    shards
        .iter()
        .map(|shard| shard.states[0].links.clone())
        .collect()
}

#[test]
fn gibbs_on_shards_does_not_depend_on_their_order_and_counts_add_up() {
    let expected = sample(&[0, 1, 2], 5);
    assert_eq!(sample(&[2, 1, 0], 5), expected);
    assert_ne!(sample(&[0, 1, 2], 4), expected);
}

#[test]
fn a_shard_sees_the_links_of_the_others() {
    // One shard of one pair, whose words are linked in the other shard a thousand times: the draw must follow them.
    let words = |n: u32| (0..n).map(|w| format!("w{w}")).collect();
    let side = |types: u32| {
        let sentence = [WordId::from_u32(0), WordId::from_u32(1)];
        let tokens: Vec<WordId> = sentence.iter().copied().cycle().take(2 * 200).collect();
        let offsets = (0..=200).map(|n| 2 * n).collect();
        Side::new(Vocabulary::from_words(words(types)), tokens, offsets)
    };
    let text = |first: bool| {
        Bitext::new(
            side(2),
            side(2),
            (0..200).map(|n| (n == 0) == first).collect(),
        )
    };
    let (small, large) = (text(true), text(false));
    let all = Emissions::new(&small, Direction::TargetGivenSource).expect("small");
    let mut mine = shard(&small, &all);
    mine.strategy.model = Model::One;
    // A NULL that no word was linked to yet is attractive; keep it out.
    mine.strategy.null_probability = Some(1e-6);
    let theirs = shard(&large, &all);
    // In the large shard target word n is always linked to source word n.
    let links: Vec<u16> = theirs.blocks[0]
        .slots
        .clone()
        .map(|slot| theirs.emissions.position_of(slot) + 1)
        .collect();
    let states = [State::new(
        &theirs.emissions,
        &theirs.strategy.rows,
        &theirs.blocks[0],
        links,
    )];
    let elsewhere = PairCounts::of(&theirs.emissions, &theirs.blocks, &states);
    let other = theirs
        .strategy
        .count(&theirs.emissions, &theirs.blocks, &states);
    let mut parameters = mine
        .strategy
        .count(&mine.emissions, &mine.blocks, &mine.states);
    parameters
        .totals
        .iter_mut()
        .zip(&other.totals)
        .for_each(|(sum, n)| *sum += n);
    parameters.elsewhere = Some(elsewhere);
    let cancel = CancelToken::new();
    let (block, state) = (&mine.blocks[0], &mut mine.states[0]);
    mine.strategy
        .accumulate(&mine.emissions, block, state, &parameters, &cancel)
        .expect("small");
    // The chance of anything else is about 1e-5.
    assert_eq!(state.links, vec![1, 2]);
}
