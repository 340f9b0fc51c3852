//! The studies that follow runs: what was published, and how ours are made.

use super::study_runs::Runs;
use super::{Plan, Study, glm_1, glm_2, glm_3, os_path, sjl_local};

pub(super) const SJL_LOCAL: Study = Study {
    name: "sjl-local",
    source: "Soltanolkotabi, Javanmard and Lee, Theorem 2.5 (no figure there)",
    shows: "rate of descent near a planted softplus network and from how far it attracts, over n/d, both layers trained",
    published: "L_τ ≤ (1 − cαd/n)^τ L₀ from within C·d^2.5/(n^1.5 k), for k ≥ d and n ≤ c₀d²; c, C and c₀ not given",
    protocol: "x ~ N(0, I), softplus(10z)/10, W* with entries N(0, 1/d), v* = 1. Rate: from W* + 0.01‖W*‖U and v* moved in \
               proportion, step 1/λ_max(J*J*ᵀ/n), until L has fallen by 1e8 or the iterations are used up. Attraction: from further \
               away along the same directions, adaptive steps, relative error 1e-3.",
    reasons: "The theorem is about the order and leaves its constants open, so its lines are drawn through one of our points. \
              The rate of the slowest part is 2λ_min(J*J*ᵀ/n), dashed; the mean rate over a run lies above it. At sizes that \
              can be trained it falls faster than d/n, for the theorem wants n small against d²: with d = 30 the exponent is nearer to −1 \
              than with d = 10, and c, which the theorem keeps fixed, falls less. The slowest part all but stops at n = k(d + 1), as many \
              samples as parameters, and returns beyond; marks there are means over as many iterations as were made. The region of \
              attraction is larger than the theorem's by far: with n well below the parameters every distance that was tried is within \
              it, as networks that interpolate are everywhere; near n = k(d + 1) it has a radius, which includes what the iterations did not suffice for.",
    plan: Plan::Runs(Runs { text: include_str!("sjl-local.toml"), draw: sjl_local::draw }),
};

pub(super) const OS_PATH: Study = Study {
    name: "os-path",
    source: "Oymak and Soltanolkotabi, Corollary 2.2 and Theorem 2.6 (no figure there)",
    shows: "distance from the start and length of the path over n, descent and stochastic descent, softplus on the sphere",
    published: "‖W − W₀‖ ≤ c√n for kd ≥ Cn², by descent and with high probability by SGD; c and C not given",
    protocol: "x on the unit sphere, y ~ N(0, 1), n = 2d, kd = n², v = ±‖y‖/√(kn) fixed, W₀ ~ N(0, 1); descent with \
               the step n/(2‖y‖²‖X‖²) of the corollary, SGD on single samples with the step n/(2‖y‖²), both to relative error 1e-3.",
    reasons: "Both go as far as the linearised network would, ‖J₀⁺r₀‖, and that is of the order √n as stated, a few times less than the bound \
              of Theorem 2.1, which pays for the worst direction. Descent goes there nearly straight. SGD ends as near, but its path \
              is longer: the publication bounds its distance alone. Its step there is smaller than ours by about 1e-4 \
              and would take that much longer; samples are visited in a new random order in every epoch rather than drawn independently.",
    plan: Plan::Runs(Runs { text: include_str!("os-path.toml"), draw: os_path::draw }),
};

pub(super) const GLM_1: Study = Study {
    name: "glm-1",
    source: "Ge, Lee and Ma, Figure 1",
    shows: "a relu student of a relu teacher: on fresh samples, and where descent on the exact population risk ends",
    published: "none of five runs reaches zero risk (d = 50, batch 256)",
    protocol: "x ~ N(0, I), B* = I, a* = 1, a = 1 fixed, B₀ with entries N(0, 1/d); steps of 0.01 of the mean of r² for 10000 \
               iterations, then a quarter every 5000, down to 6e-10 (the quick version has two runs and stops at 6e-4). Beside it \
               descent on the population risk in closed form, from several starts.",
    reasons: "Found as published. What stops the runs on samples is mostly their shrinking step: descent on the population risk \
              itself, without samples, goes an order of magnitude lower, and there it ends, not at zero. Its ends are a quantised family: \
              every unit of the teacher is found up to its sign and a small tilt, s of them with the wrong sign, and the risk depends on d and s alone. \
              relu(z) and relu(−z) differ by z only, and tilted together the other units make up for a linear part; e does not see signs. So the \
              local minima that the publication conjectures are there and can be counted.",
    plan: Plan::Runs(Runs { text: include_str!("glm-1.toml"), draw: glm_1::draw }),
};

pub(super) const GLM_2: Study = Study {
    name: "glm-2",
    source: "Ge, Lee and Ma, Figure 2",
    shows: "a student with σ̂₂h₂ + σ̂₄h₄ of a relu teacher on fresh samples, labels centred or not",
    published: "e and the excess risk go to zero (d = 50, batch 8192)",
    protocol: "B* = I, a* = 1, a = 1 fixed, rows of B of length 1; labels centred by the mean of a pilot sample: steps 0.4, 0.1 and 0.02 of \
               the mean of r² over 2500 iterations. Labels as they are: step 0.05 over 22000 iterations (d = 50) and 20000 (d = 20); \
               1000 and 2000 in the quick version.",
    reasons: "The publication does not say that labels are centred, and with batches of 8192 it matters. The student has mean \
              zero, so that the mean of y, 0.4·d, stays in the residual: it changes no expectation, but at d = 50 it makes the \
              square of the residual 25 times larger, and with it the noise of the gradient, which is \
              larger than what there is to be learned from degree four; so its steps have to be shorter too. With fewer inputs the noise is smaller.",
    plan: Plan::Runs(Runs { text: include_str!("glm-2.toml"), draw: glm_2::draw }),
};

pub(super) const GLM_3: Study = Study {
    name: "glm-3",
    source: "Ge, Lee and Ma, Figure 3",
    shows: "descent on G, exactly and on fresh samples, with and without a control variate",
    published: "G and e go to zero, e up and down on the way (d = 50, batch 262144)",
    protocol: "B* = I, a* = 1, μ = 0.01. Exactly: λ = 1 with step 0.08, and λ = 100, as the theory asks for, with step 0.0008. On samples: \
               λ = 1, batch 32768, steps 0.02, 0.005 and 0.001 over 2500 iterations, from y its polynomial of degree two \
               subtracted, which was fitted to a pilot sample; and the same without. The quick version has d = 20.",
    reasons: "The gradient of G averages y times polynomials of degree four, and nearly all of y² is in its degrees 0 to 2, \
              which contribute nothing but noise. Subtracting them leaves every expectation as it is and makes the variance of y some 700 \
              times smaller at d = 50: an eighth of the published batch is then enough, and without it the same batch and steps are not: \
              that run is drawn until it diverges. \
              e rises on the way as published; saddles at which two rows share a unit would explain it. λ = 1 is above \
              4√6|σ̂₄| = 0.8, which suffices; λ = 100 only makes the descent stiff.",
    plan: Plan::Runs(Runs { text: include_str!("glm-3.toml"), draw: glm_3::draw }),
};
