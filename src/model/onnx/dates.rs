//! Parts of dates as operators, of microseconds since the beginning of 1970-01-01 (`verify/src/date.rs`).
//!
//! The month of a day is found without a table, in a calendar whose years begin in March and whose leap day is the last: months of
//! that calendar have 153/5 days on average. All numbers but hours and days with a time are whole and far below 2⁵³, so that every
//! operation is exact, and a quotient that is no whole number stays between its neighbours.

use shallows_verify::date::{DAY, DatePart};

use super::graph::{Graph, GraphEdge};
use super::proto;
use crate::data::recipe::Gaps;

/// Days from the first of March of the year 0 to the first of January of 1970.
const TO_MARCH_OF_YEAR_0: f64 = 719_468.0;
/// Days of 400, 100, 4 years and one.
const CYCLE: f64 = 146_097.0;
const CENTURY: f64 = 36_524.0;
const FOUR_YEARS: f64 = 1_460.0;
const YEAR: f64 = 365.0;
const HOUR: f64 = 3_600e6;

impl Graph {
    /// The parts of a column of moments, and perhaps where its gaps are; a NaN without a median stays one.
    pub(super) fn dates(
        &mut self,
        name: &str,
        origin: i64,
        parts: &[DatePart],
        median: Option<i64>,
        gaps: Gaps,
    ) -> Vec<GraphEdge> {
        let column = self.column_of_table(name, proto::DATA_DOUBLE);
        let mut moment = self.along_axis_1("Unsqueeze", &column);
        let is_gap = self.node("IsNaN", &[&moment]);
        if let Some(median) = median {
            let median = self.doubles(&[], &[median as f64]);
            moment = self.node("Where", &[&is_gap, &median, &moment]);
        }
        let mut inputs: Vec<GraphEdge> = parts.iter().map(|part| self.part(*part, &moment, origin)).collect();
        if gaps == Gaps::Input {
            inputs.push(self.as_double(&is_gap));
        }
        inputs
    }

    fn part(&mut self, part: DatePart, moment: &GraphEdge, origin: i64) -> GraphEdge {
        let day = DAY as f64;
        match part {
            DatePart::Days => {
                let since = self.with_number("Sub", moment, origin as f64);
                self.with_number("Div", &since, day)
            }
            DatePart::Hour => {
                let time = self.remainder(moment, day);
                self.with_number("Div", &time, HOUR)
            }
            DatePart::Weekday => {
                let days = self.quotient(moment, day);
                // The first day of 1970 was a Thursday.
                let since_monday = self.with_number("Add", &days, 3.0);
                self.remainder(&since_monday, 7.0)
            }
            DatePart::Month => self.month(moment),
        }
    }

    /// 1 to 12.
    fn month(&mut self, moment: &GraphEdge) -> GraphEdge {
        let days = self.quotient(moment, DAY as f64);
        let days = self.with_number("Add", &days, TO_MARCH_OF_YEAR_0);
        let day = self.remainder(&days, CYCLE);
        // Years of the cycle that are over: days less the leap days before, over 365.
        let [leaps, centuries, cycles] = [FOUR_YEARS, CENTURY, CYCLE - 1.0].map(|period| self.quotient(&day, period));
        let less = self.node("Sub", &[&day, &leaps]);
        let more = self.node("Add", &[&less, &centuries]);
        let plain = self.node("Sub", &[&more, &cycles]);
        let years = self.quotient(&plain, YEAR);
        // Days since the first of March.
        let [leaps, centuries] = [4.0, 100.0].map(|period| self.quotient(&years, period));
        let of_years = self.with_number("Mul", &years, YEAR);
        let before = self.node("Add", &[&of_years, &leaps]);
        let before = self.node("Sub", &[&before, &centuries]);
        let day = self.node("Sub", &[&day, &before]);
        let fives = self.with_number("Mul", &day, 5.0);
        let fives = self.with_number("Add", &fives, 2.0);
        let since_march = self.quotient(&fives, 153.0);
        // March is 0 and becomes 3, January is 10 and becomes 1.
        let from_january = self.with_number("Add", &since_march, 2.0);
        let month = self.remainder(&from_january, 12.0);
        self.with_number("Add", &month, 1.0)
    }

    fn with_number(&mut self, operator: &str, left: &GraphEdge, right: f64) -> GraphEdge {
        let right = self.doubles(&[], &[right]);
        self.node(operator, &[left, &right])
    }

    /// ⌊x/y⌋
    fn quotient(&mut self, x: &GraphEdge, y: f64) -> GraphEdge {
        let quotient = self.with_number("Div", x, y);
        self.node("Floor", &[&quotient])
    }

    /// x − ⌊x/y⌋·y
    fn remainder(&mut self, x: &GraphEdge, y: f64) -> GraphEdge {
        let whole = self.quotient(x, y);
        let whole = self.with_number("Mul", &whole, y);
        self.node("Sub", &[x, &whole])
    }
}
