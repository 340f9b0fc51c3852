//! The studies: what was published, and how ours is made.

use super::followed::{GLM_1, GLM_2, GLM_3, OS_PATH, SJL_LOCAL};
use super::remaining_errors::Errors;
use super::study_runs::Runs;
use super::success_curves::{Curves, Reading};
use super::success_map::Map;
use super::{Plan, Study, starts};
use crate::draw::Colour;

/// Beside [`Colour::ORANGE`]: the same, for all starts.
const DARK_ORANGE: Colour = Colour::Rgb(140, 65, 0);
/// No cell is left out.
const EVERYWHERE: (f64, f64) = (0.0, f64::INFINITY);

/// A curve of all cells of a sweep, counted by training, with a threshold on the whole of it.
const PLAIN: Reading = Reading {
    sweep: 0,
    name: "",
    rule: "verdict",
    all_starts: false,
    samples: None,
    from: 0.0,
    to: f64::INFINITY,
    colour: Colour::BLUE,
    is_published: false,
};

/// Both figures 2 of Soltanolkotabi, Javanmard and Lee are read alike.
const SOFTPLUS: [Reading; 5] = [
    Reading { name: "descent to 1e-2 in 20000", rule: "descent:1e-2:20000", ..PLAIN },
    Reading {
        name: "descent to 1e-2",
        rule: "descent:1e-2:20000",
        all_starts: true,
        colour: Colour::GREEN,
        is_published: true,
        ..PLAIN
    },
    Reading { name: "descent to 1e-2 in 40000", rule: "descent:1e-2:40000", colour: Colour::GREY, ..PLAIN },
    Reading { name: "after LM", colour: Colour::ORANGE, ..PLAIN },
    Reading { name: "after LM", all_starts: true, colour: DARK_ORANGE, is_published: true, ..PLAIN },
];

/// Both figures 3: as stated from every start, after LM up to the ceiling that hopeless signs set, and with v = 1 to
/// the right of the dip.
const fn quadratic(dip: f64, ceiling: f64) -> [Reading; 5] {
    [
        Reading {
            name: "v₀ = ±1, 1e-2",
            rule: "descent:1e-2",
            all_starts: true,
            colour: Colour::GREEN,
            is_published: true,
            ..PLAIN
        },
        Reading { name: "v₀ = ±1, after LM", all_starts: true, to: ceiling, colour: Colour::GREY, ..PLAIN },
        Reading { sweep: 1, name: "v = 1, 1e-2", rule: "descent:1e-2", from: dip, is_published: true, ..PLAIN },
        Reading { sweep: 1, name: "v = 1, after LM", from: dip, colour: Colour::ORANGE, ..PLAIN },
        Reading {
            sweep: 1,
            name: "v = 1, after LM",
            all_starts: true,
            from: dip,
            colour: DARK_ORANGE,
            is_published: true,
            ..PLAIN
        },
    ]
}
const QUADRATIC_A: [Reading; 5] = quadratic(5.0, 10.0);
const QUADRATIC_B: [Reading; 5] = quadratic(20.0, 35.0);

const COLLAPSE: [Reading; 3] = [
    Reading { name: "n = 100", samples: Some(100), is_published: true, ..PLAIN },
    Reading { name: "n = 200", samples: Some(200), colour: Colour::ORANGE, is_published: true, ..PLAIN },
    Reading { name: "n = 400", samples: Some(400), colour: Colour::GREEN, is_published: true, ..PLAIN },
];

const RANKS: [Reading; 4] = [
    Reading { name: "rank 1", rule: "recovers-teacher", colour: Colour::GREY, ..PLAIN },
    Reading { sweep: 1, name: "rank 2", rule: "recovers-teacher", colour: Colour::GREEN, ..PLAIN },
    Reading { sweep: 2, name: "rank 5", rule: "recovers-teacher", colour: Colour::ORANGE, ..PLAIN },
    Reading { sweep: 3, name: "rank 10 = d", rule: "recovers-teacher", is_published: true, ..PLAIN },
];

const STOPPING: &str = "The publication does not say when a run ends. By descent the threshold moves with the tolerance and the \
     number of iterations (over k from 9.8 to 14.1); after Levenberg–Marquardt, a stand-in for infinite time, it does not. Success \
     of every start of a network is a harder demand than success of one, so that curve lies to the right.";

const SIGNS: &str = "z² is 2-homogeneous, so descent conserves ‖w_j‖² − 2v_j² of every unit: an output weight that begins at −1 \
     stays negative, and a student with fewer than two positive units cannot fit a positive teacher. The stated start \
     therefore fails for reasons of sign up to large kd; the published number is near that of v = 1, where success is high \
     at small kd, dips near kd = n and returns. The threshold with v = 1 is that of the right branch. \
     Levenberg–Marquardt is not the flow of the gradient and can flip a sign, so both verdicts are shown; where all units \
     begin negative, one start in 2ᵏ, it hardly ever does, so that for k = 5 the share of networks of which all ten starts \
     succeed stops at (31/32)¹⁰ = 0.73, and the threshold is that of the rise.";

const SPEED: &str = "kd = n is the boundary of the landscape: with Levenberg–Marquardt after descent every d ≥ 4 lies on one curve \
     in kd/n. The boundary after 15000 iterations of descent lies further out and is a matter of speed. For odd k one output \
     weight is zero, so thresholds are those of even k.";

const LABELS: &str = "The text trains 1ᵀφ(Wx), which softplus with v = 1 cannot fit to negative labels: both layers are trained \
     from v₀ = ±1. The error of descent at a given k is a matter of time; after Levenberg–Marquardt it is zero as soon as the \
     parameters suffice; with z², which conserves the signs of v, it stays where a start has too few units of one sign.";

/// All there are.
pub const STUDIES: &[Study] = &[
    Study {
        name: "sjl-2a",
        source: "Soltanolkotabi, Javanmard and Lee, Figure 2a",
        shows: "success over k, planted softplus networks with d = 10, n = 100",
        published: "k½ = 11.40; all succeed from k = 13",
        protocol: "x ~ N(0, I), W* and W₀ with entries N(0, 1/d), v* = 1, v₀ = ±1, both layers trained with step 0.05.",
        reasons: STOPPING,
        plan: Plan::Curves(Curves {
            title: "Planted softplus networks, more units\nn = 100, d = 10, both layers trained",
            sweeps: &[include_str!("sjl-2a.toml")],
            along: ("k", "k", "hidden units k"),
            readings: &SOFTPLUS,
            window: EVERYWHERE,
            bin: 0.0,
            published: Some((11.4, "published 11.40")),
            theory: &[(10.0, "kd = n")],
        }),
    },
    Study {
        name: "sjl-2b",
        source: "Soltanolkotabi, Javanmard and Lee, Figure 2b",
        shows: "success over d, planted softplus networks with k = 10, n = 100",
        published: "d½ = 10.70; all succeed from d = 12",
        protocol: "As Figure 2a, with k = 10 and d varied.",
        reasons: STOPPING,
        plan: Plan::Curves(Curves {
            title: "Planted softplus networks, more inputs\nn = 100, k = 10, both layers trained",
            sweeps: &[include_str!("sjl-2b.toml")],
            along: ("d", "d", "inputs d"),
            readings: &SOFTPLUS,
            window: EVERYWHERE,
            bin: 0.0,
            published: Some((10.7, "published 10.70")),
            theory: &[(10.0, "kd = n")],
        }),
    },
    Study {
        name: "sjl-3a",
        source: "Soltanolkotabi, Javanmard and Lee, Figure 3a",
        shows: "success over k, planted quadratic networks with d = 20, n = 100, in both readings",
        published: "k½ = 5.5",
        protocol: "z² networks, step 0.002: as stated (v₀ = ±1, both layers trained, every start must succeed), and with v fixed at 1.",
        reasons: SIGNS,
        plan: Plan::Curves(Curves {
            title: "Planted quadratic networks, more units\nn = 100, d = 20; v₀ = ±1 trained, and v = 1 fixed",
            sweeps: &[include_str!("sjl-3a.toml"), include_str!("sjl-3a-v1.toml")],
            along: ("k", "k", "hidden units k"),
            readings: &QUADRATIC_A,
            window: EVERYWHERE,
            bin: 0.0,
            published: Some((5.5, "published 5.5")),
            theory: &[(5.0, "kd = n")],
        }),
    },
    Study {
        name: "sjl-3b",
        source: "Soltanolkotabi, Javanmard and Lee, Figure 3b",
        shows: "success over d, planted quadratic networks with k = 5, n = 100, in both readings",
        published: "d½ = 25.40",
        protocol: "As Figure 3a, with k = 5 and d varied.",
        reasons: SIGNS,
        plan: Plan::Curves(Curves {
            title: "Planted quadratic networks, more inputs\nn = 100, k = 5; v₀ = ±1 trained, and v = 1 fixed",
            sweeps: &[include_str!("sjl-3b.toml"), include_str!("sjl-3b-v1.toml")],
            along: ("d", "d", "inputs d"),
            readings: &QUADRATIC_B,
            window: EVERYWHERE,
            bin: 0.0,
            published: Some((25.4, "published 25.40")),
            theory: &[(20.0, "kd = n")],
        }),
    },
    Study {
        name: "sjl-4a",
        source: "Soltanolkotabi, Javanmard and Lee, Figure 4a",
        shows: "error over k, softplus networks with d = 10 and n = 100 random labels",
        published: "the error vanishes for kd > 1.5 n, k > 15",
        protocol: "x ~ N(0, I), y ~ N(0, 1), softplus(10z)/10, both layers trained from v₀ = ±1 with step 0.02.",
        reasons: LABELS,
        plan: Plan::Errors(Errors {
            title: "Random labels, softplus\nn = 100, d = 10, both layers trained; bars show the range, zero is drawn at 1e-10",
            sweep: include_str!("sjl-4a.toml"),
            theory: &[(10.0, "kd = n")],
            published: (15.0, "published: zero beyond kd = 1.5 n"),
            units: &[20, 25],
        }),
    },
    Study {
        name: "sjl-4b",
        source: "Soltanolkotabi, Javanmard and Lee, Figure 4b",
        shows: "error over k, quadratic networks with d = 20 and n = 100 random labels",
        published: "the error vanishes for kd > 1.5 n, k > 7.5",
        protocol: "As Figure 4a, with z² and step 0.002.",
        reasons: LABELS,
        plan: Plan::Errors(Errors {
            title: "Random labels, quadratic\nn = 100, d = 20, both layers trained; bars show the range, zero is drawn at 1e-10",
            sweep: include_str!("sjl-4b.toml"),
            theory: &[(5.0, "kd = n")],
            published: (7.5, "published: zero beyond kd = 1.5 n"),
            units: &[10, 15],
        }),
    },
    SJL_LOCAL,
    Study {
        name: "os-2a",
        source: "Oymak and Soltanolkotabi, Figure 2a",
        shows: "success over k and d, softplus networks, n = 100 random labels on the sphere",
        published: "the boundary is kd = n",
        protocol: "x on the unit sphere, y ~ N(0, 1), v = ±‖y‖/√(kn) fixed, W₀ ~ N(0, 1), step 0.15 of ½Σr², relative error \
                   2.5e-3 within 15000 iterations.",
        reasons: SPEED,
        plan: Plan::Map(Map {
            title: "Random labels on the sphere, softplus, n = 100\nshare of trainings that fit within 15000 iterations",
            sweeps: &[include_str!("os-2a.toml"), include_str!("os-2a-lm.toml")],
            samples: 100,
            inputs: &[10, 15, 20, 25],
        }),
    },
    Study {
        name: "os-2b",
        source: "Oymak and Soltanolkotabi, Figure 2b",
        shows: "success over k and d, softplus networks, n = 200 random labels on the sphere",
        published: "the boundary is kd = n, sharper than at n = 100",
        protocol: "As Figure 2a, with n = 200.",
        reasons: SPEED,
        plan: Plan::Map(Map {
            title: "Random labels on the sphere, softplus, n = 200\nshare of trainings that fit within 15000 iterations",
            sweeps: &[include_str!("os-2b.toml"), include_str!("os-2b-lm.toml")],
            samples: 200,
            inputs: &[12, 16, 20, 25],
        }),
    },
    Study {
        name: "os-2-relu",
        source: "Oymak and Soltanolkotabi, Figure 2, relu",
        shows: "success over k and d, relu networks, n = 100 random labels on the sphere",
        published: "the boundary is kd = n",
        protocol: "As Figure 2a, with relu and step 0.1.",
        reasons: "The boundary of descent after 15000 iterations lies at about 1.5 to 2.5 times kd = n: many units are off on most \
                  samples, and the rest is a matter of speed. Levenberg–Marquardt does not apply to a kinked activation, so there \
                  is no second boundary. For odd k one output weight is zero, so thresholds are those of even k.",
        plan: Plan::Map(Map {
            title: "Random labels on the sphere, relu, n = 100\nshare of trainings that fit within 15000 iterations",
            sweeps: &[include_str!("os-2-relu.toml")],
            samples: 100,
            inputs: &[10, 14, 20, 25],
        }),
    },
    Study {
        name: "os-collapse",
        source: "beyond Oymak and Soltanolkotabi, Figure 2",
        shows: "success over kd/n at n = 100 and 200 (400 in the full version), after Levenberg–Marquardt",
        published: "kd = n",
        protocol: "As Figure 2a, 1000 adaptive steps of descent, then Levenberg–Marquardt.",
        reasons: "Cells of all k and d lie on one curve: the boundary kd = n is that of the landscape. How sharp it is at each n, the \
                  intervals say.",
        plan: Plan::Curves(Curves {
            title: "Random labels: kd/n is what counts\nsoftplus on the sphere, W trained, after Levenberg–Marquardt",
            sweeps: &[include_str!("os-collapse.toml")],
            along: ("k*d/n", "(kd/n)", "parameters over samples, kd/n"),
            readings: &COLLAPSE,
            window: (0.6, 1.6),
            bin: 0.04,
            published: Some((1.0, "published: kd = n")),
            theory: &[],
        }),
    },
    OS_PATH,
    GLM_1,
    GLM_2,
    GLM_3,
    Study {
        name: "identifiability",
        source: "Gamarnik, Kızıldağ and Zadik, Theorem 2.6 (no figure there)",
        shows: "when the interpolating quadratic network is the teacher, over n, by the rank of the teacher; d = 10",
        published: "n* = d(d + 1)/2 = 55 samples suffice",
        protocol: "x ~ N(0, I), z² networks of 20 units with v = 1, adaptive descent to 1e-7, then Levenberg–Marquardt; success is \
                   ‖M − M*‖ ≤ 1e-3 ‖M*‖.",
        reasons: "For teachers of full rank n* is exact: with one sample less some other positive semidefinite M fits as well. \
                  Teachers of low rank lie on the edge of the cone and are determined earlier.",
        plan: Plan::Curves(Curves {
            title: "When is what interpolates the teacher?\nquadratic networks of 20 units, d = 10, teachers by rank",
            sweeps: &[
                include_str!("identifiability-1.toml"),
                include_str!("identifiability-2.toml"),
                include_str!("identifiability-5.toml"),
                include_str!("identifiability-full.toml"),
            ],
            along: ("n", "n", "samples n"),
            readings: &RANKS,
            window: EVERYWHERE,
            bin: 0.0,
            published: Some((55.0, "n* = d(d + 1)/2 = 55")),
            theory: &[],
        }),
    },
    Study {
        name: "safe-start",
        source: "Gamarnik, Kızıldağ and Zadik, Theorem 2.5 (no figure there)",
        shows: "share of Gaussian teachers for which the start is below the barrier, over m/d²",
        published: "m > C d² suffices, C not given; start √(m + 4d)·[I; 0]",
        protocol: "Teachers with m×d standard normal weights; the population risk at √γ·[I; 0] against the exact barrier \
                   (d + 2)/(d + 1)·σ_min(W*)⁴.",
        reasons: "The order d² is right, and the constant is between 4 and 5. γ = m, which is nearer to the eigenvalues of M*, needs \
                  less than half of that width.",
        plan: Plan::Runs(Runs { text: include_str!("safe-start.toml"), draw: starts::safe_start }),
    },
    Study {
        name: "barrier",
        source: "Gamarnik, Kızıldağ and Zadik, Theorem 2.1 (no figure there)",
        shows: "the least risk over W of each rank: exact, searched for by descent, and of random W",
        published: "L ≥ σ_min(W*)⁴ for rank-deficient W (with L = ½E r²)",
        protocol: "One Gaussian teacher of 16 units with 8 inputs; descent over r×d matrices from random starts.",
        reasons: "The published bound is not attained: the exact barrier of rank d − 1 is larger by the factor (d + 2)/(d + 1), and \
                  descent finds it to rounding.",
        plan: Plan::Runs(Runs { text: include_str!("barrier.toml"), draw: starts::barrier }),
    },
];
