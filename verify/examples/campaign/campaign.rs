//! One instance after another, and the table of what was judged.

use std::collections::BTreeMap;
use std::fmt;

use shallows_verify::rows::ProofRows;
use shallows_verify::theorem::global_optimum::judge;
use shallows_verify::{Rows, Signs, Verdict};

use crate::instance::{claim, hostile, mild};
use crate::judge::{Finding, Grade, Instance, OptimumFacts, judge as judged};
use crate::known::known;
use crate::propose::{Idea, instance, point};
use crate::random::Random;
use crate::sums::{is_enclosed, is_hard_sum_enclosed};

/// What is counted of a class.
#[derive(Clone, Debug, Default)]
struct Counts {
    made: u64,
    unjudged: u64,
    zero: u64,
    exact: u64,
    sharp: u64,
    weak: u64,
    tight: [u64; 2],
    holds: u64,
    fails: u64,
    wrong: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        let pairs = [
            (&mut self.made, other.made),
            (&mut self.unjudged, other.unjudged),
            (&mut self.zero, other.zero),
            (&mut self.exact, other.exact),
            (&mut self.sharp, other.sharp),
            (&mut self.weak, other.weak),
            (&mut self.holds, other.holds),
            (&mut self.fails, other.fails),
            (&mut self.wrong, other.wrong),
        ];
        pairs.into_iter().for_each(|(to, from)| *to += from);
        self.tight.iter_mut().zip(other.tight).for_each(|(to, from)| *to += from);
    }
}

/// Counts of all classes, and the instances where the checker was wrong.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    classes: BTreeMap<String, Counts>,
    sources: BTreeMap<String, Counts>,
    wrong: BTreeMap<u64, Vec<&'static str>>,
    unread: u64,
    /// Sums A*(θ) whose radius was compared with the exact sum.
    sums: u64,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        let maps = [(&mut self.classes, other.classes), (&mut self.sources, other.sources)];
        for (to, from) in maps {
            from.into_iter().for_each(|(name, counts)| to.entry(name).or_default().add(&counts));
        }
        self.wrong.extend(other.wrong);
        self.unread += other.unread;
        self.sums += other.sums;
    }

    /// Instances where the checker was wrong.
    pub fn wrong(&self) -> usize {
        self.wrong.len()
    }

    /// Sums A*(θ) whose radius was compared with the exact sum.
    #[allow(dead_code, reason = "for the tests")]
    pub fn sums(&self) -> u64 {
        self.sums
    }

    /// Instances with a positive bound that were judged exactly or sharply, and all.
    #[allow(dead_code, reason = "for the tests")]
    pub fn judged(&self) -> (u64, u64) {
        let total = self.total();
        (total.exact + total.sharp, total.made)
    }

    fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.classes.values().for_each(|counts| total.add(counts));
        total
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:44} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}",
            "", "made", "exact", "sharp", "weak", "zero", "no bound", "1e-6", "1e-12", "holds", "fails", "wrong"
        )?;
        let total = ("all".to_owned(), self.total());
        let rows = self.classes.iter().chain(&self.sources).chain([(&total.0, &total.1)]);
        for (name, c) in rows {
            let [six, twelve] = c.tight;
            writeln!(
                out,
                "{name:44} {:9} {:9} {:9} {:9} {:9} {:9} {six:9} {twelve:9} {:9} {:9} {:6}",
                c.made, c.exact, c.sharp, c.weak, c.zero, c.unjudged, c.holds, c.fails, c.wrong
            )?;
        }
        writeln!(out, "{} could not be read by the checker and are not counted", self.unread)?;
        writeln!(out, "{} sums A*(θ) were compared with the exact ones", self.sums)?;
        writeln!(
            out,
            "exact: a positive bound against the optimum itself; sharp: against a competitor within 1e-6 of it; weak: against one \
             farther away;\nzero: the optimum is 0; no bound: nothing was proved; 1e-6, 1e-12: positive bounds that close to the \
             least P known"
        )?;
        for (index, what) in &self.wrong {
            writeln!(out, "WRONG instance {index}: {}", what.join(", "))?;
        }
        Ok(())
    }
}

fn class_of(instance: &Instance) -> String {
    let claim = &instance.claim;
    let limits = [
        claim.class.nuclear,
        claim.class.linear.filter(|_| claim.linear),
        claim.class.intercept.filter(|_| claim.intercept),
    ];
    format!(
        "{}, {}, {}, {}",
        if claim.signs == Signs::Any { "any signs" } else { "one sign" },
        if claim.decay > 0.0 { "penalty" } else { "no penalty" },
        if limits.iter().any(Option::is_some) { "limited" } else { "unlimited" },
        if instance.d == 1 { "d = 1" } else { "d > 1" }
    )
}

/// Instance `index` of a campaign; a name for where it comes from, and whether its proof is damaged.
fn made(seed: u64, index: u64) -> Option<(Instance, &'static str, bool)> {
    let mut random = Random::new(seed, index);
    let kind = random.below(10);
    let (data, claim, idea, source) = if kind < 5 {
        let (data, claim, idea) = (0..20).find_map(|_| known(&mut random))?;
        (data, claim, idea, "made from the optimum")
    } else {
        let (data, source) = if kind < 8 { (hostile(&mut random), "hostile") } else { (mild(&mut random), "mild") };
        let claim = claim(&mut random, &data);
        let idea = Idea::by_solving(&data, &claim)?;
        (data, claim, idea, source)
    };
    let (instance, is_damaged) = instance(&mut random, data, claim, idea)?;
    Some((instance, source, is_damaged))
}

/// Make, check and judge one instance.
pub fn one(seed: u64, index: u64, is_shown: bool) -> Tally {
    one_with(seed, index, is_shown, 1.0)
}

/// The same with the bound times a factor, to see whether the judge notices.
pub fn one_with(seed: u64, index: u64, is_shown: bool, factor: f64) -> Tally {
    let hard = is_hard_sum_enclosed(&mut Random::new(!seed, index));
    let unread = Tally { unread: 1, ..of_sums(index, &[hard]) };
    let Some((instance, source, is_damaged)) = made(seed, index) else { return unread };
    let Ok(rows) = Rows::new(&instance.X, instance.d, &instance.y, instance.w.as_deref()) else { return unread };
    let improvement = instance.proof.improvement.as_ref().map(|stored| stored.network(Some(instance.d)));
    let improvement = improvement.and_then(Result::ok);
    let judgement = match judge(&instance.network, rows, &instance.claim, &instance.proof) {
        Ok(judgement) => judgement,
        Err(_) => return unread,
    };
    let mut facts = OptimumFacts::of(&judgement);
    if factor != 1.0 {
        facts.lower_bound = facts.lower_bound.map(|bound| bound * factor);
    }
    let verdict = judgement.verdict();
    let Finding { grade, is_tight, wrong } = judged(&instance, facts, verdict, improvement.as_ref());
    let mut tally = of_sums(index, &[hard, is_sum_of_proof_enclosed(&instance, rows)]);
    if is_shown {
        println!("{source}, {grade:?}, {verdict:?}, {facts:?}, wrong: {wrong:?}");
        println!("d = {}\nX = {:?}\ny = {:?}\nw = {:?}", instance.d, instance.X, instance.y, instance.w);
        println!("{:?}\n{:?}\n{:?}", instance.claim, instance.network, instance.proof);
        println!("candidates = {:?}", instance.candidates);
    }
    let positive = !matches!(grade, Grade::Zero | Grade::Unjudged);
    let count = |is: bool| u64::from(is);
    let counts = Counts {
        made: 1,
        unjudged: count(grade == Grade::Unjudged),
        zero: count(grade == Grade::Zero),
        exact: count(grade == Grade::Exact),
        sharp: count(grade == Grade::Sharp),
        weak: count(grade == Grade::Weak),
        tight: is_tight.map(|is| count(is && positive)),
        holds: count(verdict == Verdict::Holds),
        fails: count(verdict == Verdict::Fails),
        wrong: count(!wrong.is_empty()),
    };
    let source = format!("{source}, {}", if is_damaged { "damaged" } else { "honest" });
    tally.classes = BTreeMap::from([(class_of(&instance), counts.clone())]);
    tally.sources = BTreeMap::from([(source, counts)]);
    if !wrong.is_empty() {
        tally.wrong.entry(index).or_default().extend(wrong);
    }
    tally
}

/// Sums A*(θ), each with whether the exact one is within its radius.
fn of_sums(index: u64, sums: &[Option<bool>]) -> Tally {
    let wrong = BTreeMap::from([(index, vec!["radius of A*(θ)"])]);
    Tally {
        wrong: if sums.contains(&Some(false)) { wrong } else { BTreeMap::new() },
        sums: sums.iter().flatten().count() as u64,
        ..Tally::default()
    }
}

/// A*(θ) of the point of the proof.
fn is_sum_of_proof_enclosed(instance: &Instance, given: Rows<'_>) -> Option<bool> {
    let (proof, sign) = (&instance.proof, if instance.claim.signs == Signs::Negative { -1.0 } else { 1.0 });
    let rows = ProofRows::new(given, sign).ok()?.in_coordinates(&proof.centre, &proof.shifts).ok()?;
    let mut theta = point(&rows, proof, sign)?;
    theta.iter_mut().for_each(|t| *t *= proof.scale);
    theta.iter().all(|t| t.is_finite()).then(|| is_enclosed(&rows, &theta))?
}
