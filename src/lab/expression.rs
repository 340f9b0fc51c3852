//! Expressions in n, k and d, such as `k*d/n`.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = sign { ("*" | "/") sign }
//! sign    = "-" sign | power
//! power   = atom [ "^" sign ]
//! atom    = number | "n" | "k" | "d" | "sqrt" "(" sum ")" | "(" sum ")"
//! ```

use std::fmt;

use serde::{Serialize, Serializer};

use super::grid::{GridCell, Symbol};
use crate::error::{Error, ExpressionProblem, Result};

/// An expression that has been read.
///
/// ```
/// use shallows::lab::{Expression, GridCell};
///
/// let parameters = Expression::parse("k*d/n")?;
/// assert_eq!(parameters.at(GridCell { n: 100, k: 20, d: 10 }), 2.0);
/// assert!(Expression::parse("k*q").is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Symbol(Symbol),
    Negative(Box<Node>),
    Root(Box<Node>),
    Sum(Box<Node>, Box<Node>),
    Difference(Box<Node>, Box<Node>),
    Product(Box<Node>, Box<Node>),
    Quotient(Box<Node>, Box<Node>),
    Power(Box<Node>, Box<Node>),
}

/// Characters of an expression, which also bounds the depth of its reading.
const LONGEST: usize = 200;
const ATOM: &str = "a number, n, k, d, sqrt(…) or (…)";

impl Expression {
    /// kd/n, on which phase diagrams collapse.
    pub fn parameters_per_sample() -> Self {
        let symbol = |symbol| Box::new(Node::Symbol(symbol));
        let parameters = Box::new(Node::Product(symbol(Symbol::K), symbol(Symbol::D)));
        Expression { text: "k*d/n".into(), root: Node::Quotient(parameters, symbol(Symbol::N)) }
    }

    /// Read it.
    pub fn parse(text: &str) -> Result<Self> {
        let characters: Vec<char> = text.chars().collect();
        let mut reader = Reader { text, characters: &characters, at: 0 };
        if characters.len() > LONGEST {
            return Err(reader.refuse(ExpressionProblem::TooLong));
        }
        let root = reader.sum()?;
        match reader.peek() {
            None => Ok(Expression { text: text.trim().to_owned(), root }),
            Some(_) => Err(reader.unexpected("an operator or the end")),
        }
    }

    /// Its value.
    pub fn at(&self, cell: GridCell) -> f64 {
        self.root.at(cell)
    }

    /// Whether a letter occurs in it.
    pub fn has(&self, symbol: Symbol) -> bool {
        self.root.has(symbol)
    }
}

impl From<f64> for Expression {
    fn from(number: f64) -> Self {
        Expression { text: number.to_string(), root: Node::Number(number) }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl Node {
    fn at(&self, cell: GridCell) -> f64 {
        match self {
            Node::Number(x) => *x,
            Node::Symbol(symbol) => cell.value(*symbol) as f64,
            Node::Negative(a) => -a.at(cell),
            Node::Root(a) => a.at(cell).sqrt(),
            Node::Sum(a, b) => a.at(cell) + b.at(cell),
            Node::Difference(a, b) => a.at(cell) - b.at(cell),
            Node::Product(a, b) => a.at(cell) * b.at(cell),
            Node::Quotient(a, b) => a.at(cell) / b.at(cell),
            Node::Power(a, b) => a.at(cell).powf(b.at(cell)),
        }
    }

    fn has(&self, symbol: Symbol) -> bool {
        match self {
            Node::Number(_) => false,
            Node::Symbol(own) => *own == symbol,
            Node::Negative(a) | Node::Root(a) => a.has(symbol),
            Node::Sum(a, b)
            | Node::Difference(a, b)
            | Node::Product(a, b)
            | Node::Quotient(a, b)
            | Node::Power(a, b) => a.has(symbol) || b.has(symbol),
        }
    }
}

/// How two parts become one.
type Join = fn(Box<Node>, Box<Node>) -> Node;

struct Reader<'a> {
    text: &'a str,
    characters: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn refuse(&self, problem: ExpressionProblem) -> Error {
        Error::Expression { text: self.text.to_owned(), column: self.at + 1, problem }
    }

    fn unexpected(&self, expected: &'static str) -> Error {
        self.refuse(match self.characters.get(self.at) {
            Some(found) => ExpressionProblem::Unexpected { found: found.to_string(), expected },
            None => ExpressionProblem::Ends { expected },
        })
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn sum(&mut self) -> Result<Node> {
        self.chain(Self::product, ('+', Node::Sum), ('-', Node::Difference))
    }

    fn product(&mut self) -> Result<Node> {
        self.chain(Self::sign, ('*', Node::Product), ('/', Node::Quotient))
    }

    fn chain(&mut self, part: fn(&mut Self) -> Result<Node>, one: (char, Join), other: (char, Join)) -> Result<Node> {
        let mut left = part(self)?;
        loop {
            let join = if self.takes(one.0) {
                one.1
            } else if self.takes(other.0) {
                other.1
            } else {
                return Ok(left);
            };
            left = join(Box::new(left), Box::new(part(self)?));
        }
    }

    fn sign(&mut self) -> Result<Node> {
        if self.takes('-') {
            return Ok(Node::Negative(Box::new(self.sign()?)));
        }
        let base = self.atom()?;
        if self.takes('^') {
            return Ok(Node::Power(Box::new(base), Box::new(self.sign()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Node> {
        match self.peek() {
            Some('(') => self.inside(),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => self.name(),
            _ => Err(self.unexpected(ATOM)),
        }
    }

    fn inside(&mut self) -> Result<Node> {
        if !self.takes('(') {
            return Err(self.unexpected("("));
        }
        let node = self.sum()?;
        if self.takes(')') { Ok(node) } else { Err(self.unexpected(")")) }
    }

    fn number(&mut self) -> Result<Node> {
        let start = self.at;
        let mut text = String::new();
        while let Some(&c) = self.characters.get(self.at) {
            let exponent = matches!(text.chars().last(), Some('e' | 'E')) && (c == '-' || c == '+');
            if !(c.is_ascii_digit() || c == '.' || c == 'e' || c == 'E' || exponent) {
                break;
            }
            text.push(c);
            self.at += 1;
        }
        text.parse().ok().filter(|x: &f64| x.is_finite()).map(Node::Number).ok_or_else(|| {
            self.at = start;
            self.refuse(ExpressionProblem::Unexpected { found: text, expected: "a number" })
        })
    }

    fn name(&mut self) -> Result<Node> {
        let start = self.at;
        let name: String = self.characters[start..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
        self.at += name.chars().count();
        if name == "sqrt" {
            return Ok(Node::Root(Box::new(self.inside()?)));
        }
        Symbol::ALL.into_iter().find(|symbol| symbol.name() == name).map(Node::Symbol).ok_or_else(|| {
            self.at = start;
            self.refuse(ExpressionProblem::UnknownName(name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        Expression::parse(text).unwrap().at(GridCell { n: 100, k: 8, d: 3 })
    }

    #[test]
    fn powers_come_before_signs_before_products_before_sums() {
        for (text, expected) in [
            ("k*d/n", 0.24),
            ("1 + 2*3 - 4", 3.0),
            ("10 - 4 - 3", 3.0),
            ("24/4/2", 3.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("(1+2)*3", 9.0),
            ("sqrt(n)/(k - -2)", 1.0),
            ("1.5e2", 150.0),
            ("2e-1*n", 20.0),
            ("--d", 3.0),
        ] {
            assert!((value(text) - expected).abs() < 1e-12, "{text} = {}", value(text));
        }
    }

    #[test]
    fn refusals_point_at_the_place() {
        for (text, place) in [
            ("", 1),
            ("k*", 3),
            ("k*q/n", 3),
            ("k d", 3),
            ("(k", 3),
            ("k)", 2),
            ("2 * * 3", 5),
            ("1.2.3", 1),
            ("sqrt n", 6),
            ("1e999", 1),
            ("n;", 2),
            ("kd/n", 1),
        ] {
            match Expression::parse(text) {
                Err(Error::Expression { column, .. }) => assert_eq!(column, place, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let deep = "(".repeat(100_000);
        assert!(Expression::parse(&deep).is_err());
    }
}
