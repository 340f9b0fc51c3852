//! Random numbers that are the same everywhere: SplitMix64.

pub struct Random(u64);

impl Random {
    /// One stream for each instance of each campaign.
    pub fn new(seed: u64, index: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1) ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        random.0 = random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as u64) as i64
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Between −1 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * f64::EPSILON - 1.0
    }

    /// A power of two with an exponent of at most this size.
    pub fn power(&mut self, most: i64) -> f64 {
        2_f64.powi(self.between(-most, most) as i32)
    }

    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}
