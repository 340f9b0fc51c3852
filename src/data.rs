//! stub, replaced by the table room
pub mod teacher;
use crate::error::Result;
use crate::linalg::Matrix;
/// stub
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Data {
    pub X: Matrix,
    pub y: Vec<f64>,
    pub names: Vec<String>,
    pub target: String,
    pub weights: Option<Vec<f64>>,
}
#[allow(missing_docs)]
impl Data {
    pub fn new(X: Matrix, y: Vec<f64>, names: Vec<String>, target: String, weights: Option<Vec<f64>>) -> Result<Self> {
        Ok(Data { X, y, names, target, weights })
    }
    pub fn n(&self) -> usize {
        self.X.rows()
    }
    pub fn d(&self) -> usize {
        self.X.cols()
    }
    pub fn omega(&self) -> Vec<f64> {
        let n = self.n() as f64;
        match &self.weights {
            None => vec![1.0 / n; self.n()],
            Some(w) => {
                let total: f64 = w.iter().sum();
                w.iter().map(|w| w / total).collect()
            }
        }
    }
    pub fn select(&self, rows: &[usize]) -> Data {
        let pick = |from: &Vec<f64>| rows.iter().map(|&i| from[i]).collect::<Vec<f64>>();
        Data {
            X: self.X.select_rows(rows),
            y: pick(&self.y),
            names: self.names.clone(),
            target: self.target.clone(),
            weights: self.weights.as_ref().map(pick),
        }
    }
}
