//! The recipe as operators: the inputs of the network from the columns of a table (`data/recipe/apply.rs`).
//!
//! A word is looked up and becomes the place of its 0/1 input among those of its column:
//!
//! ```text
//! 0: the reference      1 … L: the words with an input      L + 1: all others      L + 2: a gap
//! ```
//!
//! A column of dates is one of doubles, microseconds since the beginning of 1970-01-01 (UTC) with NaN for a gap: a graph cannot read
//! dates. The place of an ordered word is looked up too; a word without one makes the prediction NaN.
//!
//! The texts that mean a gap in a file mean one here, and words keep the spellings that they have there (3 and 3.0, True and
//! true); space around a word is not taken away.

use std::collections::HashSet;

use super::graph::{Graph, GraphEdge, TABLE_OPERATORS, integer};
use super::proto::{self, AttributeProto};
use crate::data::recipe::{ColumnStep, Gaps, Treatment};
use crate::data::{Recipe, gap_texts, spellings};

impl Graph {
    /// The inputs of the network, N×d doubles.
    pub(super) fn recipe(&mut self, recipe: &Recipe) -> GraphEdge {
        let gaps = recipe.gap_words();
        let parts: Vec<GraphEdge> = recipe.columns().iter().flat_map(|step| self.inputs_of(step, gaps)).collect();
        self.side_by_side(&parts)
    }

    /// The inputs that a column becomes.
    fn inputs_of(&mut self, step: &ColumnStep, gap_words: &[String]) -> Vec<GraphEdge> {
        match &step.treatment {
            Treatment::Number { median, gaps } => self.numbers(&step.name, 0.0, *median, *gaps, gap_words),
            Treatment::Centred { centre, median, gaps } => self.numbers(&step.name, *centre, *median, *gaps, gap_words),
            Treatment::Category { reference, levels, other, gaps } => {
                let codes = 0..=levels.len() as i64;
                let words = [reference].into_iter().chain(levels).zip(codes.clone());
                let (others, gap) = (codes.end() + 1, codes.end() + 2);
                let further = other.then_some(others).into_iter().chain((*gaps == Gaps::Input).then_some(gap));
                let places: Vec<i64> = codes.skip(1).chain(further).collect();
                self.words(&step.name, words, (others, gap), &places, gap_words)
            }
            Treatment::Date { origin, parts, median, gaps, .. } => {
                self.dates(&step.name, *origin, parts, *median, *gaps)
            }
            Treatment::Ordered { levels, median, gaps } => self.ordered(&step.name, levels, *median, *gaps, gap_words),
            // The other cells may be numbers or words: a text can be either.
            Treatment::GapsOnly => self.words(&step.name, [], (0, 1), &[1], gap_words),
            Treatment::Dropped(_) => vec![],
        }
    }

    /// A column of numbers; a NaN without a median stays one.
    fn numbers(
        &mut self,
        name: &str,
        centre: f64,
        median: Option<f64>,
        gaps: Gaps,
        gap_words: &[String],
    ) -> Vec<GraphEdge> {
        let column = self.column_of_table(name, proto::DATA_DOUBLE);
        let mut x = self.along_axis_1("Unsqueeze", &column);
        for gap in gap_words.iter().filter_map(|word| word.trim().parse::<f64>().ok()).filter(|gap| gap.is_finite()) {
            let (gap, none) = (self.doubles(&[], &[gap]), self.doubles(&[], &[f64::NAN]));
            let is_one = self.node("Equal", &[&x, &gap]);
            x = self.node("Where", &[&is_one, &none, &x]);
        }
        let is_gap = self.node("IsNaN", &[&x]);
        if let Some(median) = median {
            let median = self.doubles(&[], &[median]);
            x = self.node("Where", &[&is_gap, &median, &x]);
        }
        if centre != 0.0 {
            let centre = self.doubles(&[], &[centre]);
            x = self.node("Sub", &[&x, &centre]);
        }
        let mut inputs = vec![x];
        if gaps == Gaps::Input {
            inputs.push(self.as_double(&is_gap));
        }
        inputs
    }

    /// The 0/1 inputs at these places of a column of words, each with its code; all others have a code, and gaps have one.
    fn words<'a>(
        &mut self,
        name: &str,
        words: impl IntoIterator<Item = (&'a String, i64)>,
        (others, gap): (i64, i64),
        places: &[i64],
        gap_words: &[String],
    ) -> Vec<GraphEdge> {
        if places.is_empty() {
            return vec![];
        }
        let code = self.codes_of(name, words, (others, gap), gap_words);
        let code = self.along_axis_1("Unsqueeze", &code);
        let places = self.integers(places);
        let is_there = self.node("Equal", &[&code, &places]);
        vec![self.as_double(&is_there)]
    }

    /// The code of each cell of a column of words.
    fn codes_of<'a>(
        &mut self,
        name: &str,
        words: impl IntoIterator<Item = (&'a String, i64)>,
        (others, gap): (i64, i64),
        gap_words: &[String],
    ) -> GraphEdge {
        let words: Vec<(&String, i64)> = words.into_iter().collect();
        let others_of = words.iter().flat_map(|(word, code)| spellings(word).into_iter().map(|text| (text, *code)));
        let gaps = gap_texts().map(|text| (text.to_owned(), gap));
        // What comes first counts: texts that were named as gaps, then words that are known.
        let mut known = HashSet::new();
        let (texts, codes): (Vec<String>, Vec<i64>) = gap_words
            .iter()
            .map(|word| (word.clone(), gap))
            .chain(words.iter().map(|(word, code)| ((*word).clone(), *code)))
            .chain(others_of)
            .chain(gaps)
            .filter(|(text, _)| known.insert(text.clone()))
            .unzip();
        let list = |name: &str, kind| AttributeProto { name: name.into(), kind, ..AttributeProto::default() };
        let attributes = vec![
            AttributeProto {
                strings: texts.into_iter().map(String::into_bytes).collect(),
                ..list("keys_strings", proto::ATTRIBUTE_STRINGS)
            },
            AttributeProto { ints: codes, ..list("values_int64s", proto::ATTRIBUTE_INTS) },
            integer("default_int64", others),
        ];
        let column = self.column_of_table(name, proto::DATA_STRING);
        let code = self.node_with("LabelEncoder", &[&column], attributes);
        self.nodes.iter_mut().last().into_iter().for_each(|node| node.domain = TABLE_OPERATORS.into());
        code
    }

    /// The place of a word in a list, NaN for another word and for a gap without a median; perhaps where the gaps are.
    fn ordered(
        &mut self,
        name: &str,
        levels: &[String],
        median: Option<usize>,
        gaps: Gaps,
        gap_words: &[String],
    ) -> Vec<GraphEdge> {
        let (others, gap) = (levels.len() as i64, levels.len() as i64 + 1);
        let code = self.codes_of(name, levels.iter().zip(0..), (others, gap), gap_words);
        let code = self.along_axis_1("Unsqueeze", &code);
        let of_gap = median.map_or(f64::NAN, |at| at as f64);
        let places: Vec<f64> = (0..levels.len()).map(|at| at as f64).chain([f64::NAN, of_gap]).collect();
        let places = self.doubles(&[places.len()], &places);
        let mut inputs = vec![self.node("Gather", &[&places, &code])];
        if gaps == Gaps::Input {
            let gap = self.integers(&[gap]);
            let is_gap = self.node("Equal", &[&code, &gap]);
            inputs.push(self.as_double(&is_gap));
        }
        inputs
    }
}
