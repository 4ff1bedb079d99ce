//! The laws of semirings, modules and bilinear maps, for any of them.

use std::fmt::Debug;

use plait_core::semiring::module::{Bilinear, Module, ScalarOf};
use plait_core::semiring::{Commutative, Division, Idempotent, Path, Semiring, Star};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

type Outcome = Result<(), TestCaseError>;

/// One side of a law.
type Side<'f, V> = &'f dyn Fn(&[V; 3]) -> Option<V>;

/// A semiring with what its laws are tested on.
pub struct Subject<S: Semiring> {
    pub semiring: S,
    pub values: BoxedStrategy<S::Value>,
    /// The value with all signs taken away: sums of magnitudes bound what rounding does to a sum.
    pub magnitude: fn(&S::Value) -> S::Value,
    pub near: Near<S::Value>,
}

/// Whether the two sides of a law are the same, given both sides for the magnitudes of the inputs, and the inputs.
pub type Near<V> = fn(&V, &V, &[V; 2], &[V; 3]) -> bool;

impl<S> Subject<S>
where
    S: Semiring,
    S::Value: Debug + PartialEq + 'static,
{
    /// One whose laws hold without any error.
    pub fn exact(semiring: S, values: impl Strategy<Value = S::Value> + 'static) -> Self {
        Self {
            semiring,
            values: values.boxed(),
            magnitude: S::Value::clone,
            near: |found, expected, _, _| found == expected,
        }
    }

    /// Runs a test on many triples of values.
    fn on_triples(&self, test: &dyn Fn(&[S::Value; 3]) -> Outcome) {
        let triples = [
            self.values.clone(),
            self.values.clone(),
            self.values.clone(),
        ];
        let config = ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        if let Err(problem) = TestRunner::new(config).run(&triples, |triple| test(&triple)) {
            panic!("{problem}");
        }
    }

    /// Two expressions are the same, up to rounding where there is any. What is nothing on either side is not compared.
    fn law(
        &self,
        name: &str,
        inputs: &[S::Value; 3],
        left: Side<'_, S::Value>,
        right: Side<'_, S::Value>,
    ) -> Outcome {
        let magnitudes = inputs.each_ref().map(self.magnitude);
        let sides = (left(inputs), right(inputs));
        let sizes = (left(&magnitudes), right(&magnitudes));
        if let ((Some(found), Some(expected)), (Some(one), Some(other))) = (sides, sizes) {
            let sizes = [one, other];
            prop_assert!(
                (self.near)(&found, &expected, &sizes, inputs),
                "{name}: {found:?} against {expected:?} for {inputs:?}; of magnitudes {sizes:?}"
            );
        }
        Ok(())
    }

    /// Two values are the same, without any error.
    fn exactly(name: &str, inputs: &[S::Value], found: &S::Value, expected: &S::Value) -> Outcome {
        prop_assert!(
            found == expected,
            "{name}: {found:?} against {expected:?} for {inputs:?}"
        );
        Ok(())
    }

    /// Both monoids, annihilation and distributivity.
    pub fn semiring(&self) {
        let k = &self.semiring;
        let (zero, one) = (k.zero(), k.one());
        // Debug forms tell +0 from -0.
        assert_eq!(
            format!("{:?}", k.plus(&zero, &zero)),
            format!("{zero:?}"),
            "0 + 0 = 0"
        );
        assert!(k.is_zero(&zero) && !k.is_zero(&one));
        self.on_triples(&|inputs| {
            let [a, ..] = inputs;
            let same = |name, found: &_, expected| Self::exactly(name, inputs, found, expected);
            same("a = a", a, a)?;
            same("a + 0 = a", &k.plus(a, &zero), a)?;
            same("0 + a = a", &k.plus(&zero, a), a)?;
            same("a 1 = a", &k.times(a, &one), a)?;
            same("1 a = a", &k.times(&one, a), a)?;
            same("a 0 = 0", &k.times(a, &zero), &zero)?;
            same("0 a = 0", &k.times(&zero, a), &zero)?;
            prop_assert_eq!(k.is_zero(a), *a == zero);
            self.sums(inputs)?;
            self.products(inputs)
        });
    }

    fn sums(&self, inputs: &[S::Value; 3]) -> Outcome {
        let k = &self.semiring;
        let [a, b, _] = inputs;
        Self::exactly("a + b = b + a", inputs, &k.plus(a, b), &k.plus(b, a))?;
        let mut sum = a.clone();
        k.accumulate(&mut sum, b);
        Self::exactly("in place", inputs, &sum, &k.plus(a, b))?;
        self.law(
            "(a + b) + c = a + (b + c)",
            inputs,
            &|[a, b, c]| Some(k.plus(&k.plus(a, b), c)),
            &|[a, b, c]| Some(k.plus(a, &k.plus(b, c))),
        )
    }

    fn products(&self, inputs: &[S::Value; 3]) -> Outcome {
        let k = &self.semiring;
        self.law(
            "(a b) c = a (b c)",
            inputs,
            &|[a, b, c]| Some(k.times(&k.times(a, b), c)),
            &|[a, b, c]| Some(k.times(a, &k.times(b, c))),
        )?;
        self.law(
            "a (b + c) = a b + a c",
            inputs,
            &|[a, b, c]| Some(k.times(a, &k.plus(b, c))),
            &|[a, b, c]| Some(k.plus(&k.times(a, b), &k.times(a, c))),
        )?;
        self.law(
            "(a + b) c = a c + b c",
            inputs,
            &|[a, b, c]| Some(k.times(&k.plus(a, b), c)),
            &|[a, b, c]| Some(k.plus(&k.times(a, c), &k.times(b, c))),
        )
    }

    pub fn commutative(&self)
    where
        S: Commutative,
    {
        let k = &self.semiring;
        self.on_triples(&|inputs| {
            self.law(
                "a b = b a",
                inputs,
                &|[a, b, _]| Some(k.times(a, b)),
                &|[a, b, _]| Some(k.times(b, a)),
            )
        });
    }

    pub fn idempotent(&self)
    where
        S: Idempotent,
    {
        let k = &self.semiring;
        self.on_triples(&|inputs| {
            let [a, ..] = inputs;
            Self::exactly("a + a = a", inputs, &k.plus(a, a), a)
        });
    }

    /// Sums select, by an order that products keep.
    pub fn path(&self)
    where
        S: Path,
    {
        let k = &self.semiring;
        self.on_triples(&|inputs| {
            let [a, b, c] = inputs;
            let sum = k.plus(a, b);
            prop_assert!(sum == *a || sum == *b, "a + b is a or b: {inputs:?}");
            prop_assert!(
                k.is_better(a, b) == (sum == *a && sum != *b),
                "better where the sum says so: {inputs:?}"
            );
            prop_assert!(!k.is_better(a, a), "irreflexive: {a:?}");
            let chain = k.is_better(a, b) && k.is_better(b, c);
            prop_assert!(!chain || k.is_better(a, c), "transitive: {inputs:?}");
            let turned = k.is_better(a, b) && k.is_better(&k.times(b, c), &k.times(a, c));
            prop_assert!(!turned, "monotone: {inputs:?}");
            Ok(())
        });
    }

    /// What defines the closure.
    pub fn star(&self)
    where
        S: Star,
    {
        let k = &self.semiring;
        let (zero, one) = (k.zero(), k.one());
        let of_zero = k.star(&zero).expect("always defined");
        Self::exactly("0* = 1", &[zero], &of_zero, &one).expect("the law");
        self.on_triples(&|inputs| {
            self.law("a* = 1 + a a*", inputs, &|[a, ..]| k.star(a), &|[a, ..]| {
                Some(k.plus(&one, &k.times(a, &k.star(a)?)))
            })?;
            self.law("a* = 1 + a* a", inputs, &|[a, ..]| k.star(a), &|[a, ..]| {
                Some(k.plus(&one, &k.times(&k.star(a)?, a)))
            })
        });
    }

    /// What follows from it; ill-conditioned near the border of convergence, so only for exact arithmetic.
    pub fn star_of_sums_and_products(&self)
    where
        S: Star,
    {
        let k = &self.semiring;
        self.on_triples(&|inputs| {
            self.law(
                "(a + b)* = (a* b)* a*",
                inputs,
                &|[a, b, _]| k.star(&k.plus(a, b)),
                &|[a, b, _]| {
                    let star = k.star(a)?;
                    Some(k.times(&k.star(&k.times(&star, b))?, &star))
                },
            )?;
            self.law(
                "(a b)* = 1 + a (b a)* b",
                inputs,
                &|[a, b, _]| k.star(&k.times(a, b)),
                &|[a, b, _]| {
                    let inner = k.star(&k.times(b, a))?;
                    Some(k.plus(&k.one(), &k.times(&k.times(a, &inner), b)))
                },
            )
        });
    }

    pub fn division(&self)
    where
        S: Division,
    {
        let k = &self.semiring;
        assert!(k.divide(&k.one(), &k.zero()).is_none(), "1 / 0 is no value");
        self.on_triples(&|inputs| {
            prop_assert_eq!(
                k.divide(&inputs[0], &inputs[1]).is_none(),
                k.is_zero(&inputs[1])
            );
            self.law(
                "(a b) / b = a",
                inputs,
                &|[a, b, _]| k.divide(&k.times(a, b), b),
                &|[a, b, _]| (!k.is_zero(b)).then(|| a.clone()),
            )
        });
    }
}

/// The laws of a module, without any error: sums, both actions, and that they go together.
pub fn module<M>(
    module: &M,
    scalars: impl Strategy<Value = ScalarOf<M>>,
    elements: impl Strategy<Value = M::Element>,
) where
    M: Module,
    ScalarOf<M>: Debug,
    M::Element: Debug + PartialEq,
{
    let (k, m) = (module.scalars(), module);
    let pairs = ((&scalars, &scalars), (&elements, &elements, &elements));
    proptest!(|(((p, q), (r, s, t)) in pairs)| {
        let sum = m.plus(&r, &s);
        prop_assert_eq!(&sum, &m.plus(&s, &r));
        prop_assert_eq!(m.plus(&sum, &t), m.plus(&r, &m.plus(&s, &t)));
        prop_assert_eq!(&m.plus(&r, &m.zero()), &r);
        prop_assert_eq!(m.is_zero(&r), r == m.zero());
        let mut in_place = r.clone();
        m.accumulate(&mut in_place, &s);
        prop_assert_eq!(&in_place, &sum);
        m.accumulate_scaled(&mut in_place, &p, &t);
        prop_assert_eq!(&in_place, &m.plus(&sum, &m.scale(&p, &t)));

        prop_assert_eq!(m.scale(&p, &sum), m.plus(&m.scale(&p, &r), &m.scale(&p, &s)));
        prop_assert_eq!(m.scale(&k.plus(&p, &q), &r), m.plus(&m.scale(&p, &r), &m.scale(&q, &r)));
        prop_assert_eq!(m.scale(&k.times(&p, &q), &r), m.scale(&p, &m.scale(&q, &r)));
        prop_assert_eq!(&m.scale(&k.one(), &r), &r);
        prop_assert_eq!(m.scale(&k.zero(), &r), m.zero());
        prop_assert_eq!(m.scale(&p, &m.zero()), m.zero());

        prop_assert_eq!(m.scale_right(&sum, &p), m.plus(&m.scale_right(&r, &p), &m.scale_right(&s, &p)));
        prop_assert_eq!(m.scale_right(&r, &k.plus(&p, &q)), m.plus(&m.scale_right(&r, &p), &m.scale_right(&r, &q)));
        prop_assert_eq!(m.scale_right(&r, &k.times(&p, &q)), m.scale_right(&m.scale_right(&r, &p), &q));
        prop_assert_eq!(&m.scale_right(&r, &k.one()), &r);
        prop_assert_eq!(m.scale_right(&r, &k.zero()), m.zero());
        prop_assert_eq!(m.scale_right(&m.zero(), &p), m.zero());
        prop_assert_eq!(m.scale_right(&m.scale(&p, &r), &q), m.scale(&p, &m.scale_right(&r, &q)));
    });
}

/// The laws of a bilinear map, without any error.
pub fn bilinear<B>(
    map: &B,
    scalars: impl Strategy<Value = ScalarOf<B::Left>>,
    left: impl Strategy<Value = <B::Left as Module>::Element>,
    right: impl Strategy<Value = <B::Right as Module>::Element>,
) where
    B: Bilinear,
    ScalarOf<B::Left>: Debug,
    <B::Left as Module>::Element: Debug,
    <B::Right as Module>::Element: Debug,
    <B::Product as Module>::Element: Debug + PartialEq,
{
    let (one, two, product) = (map.left(), map.right(), map.product());
    let inputs = (scalars, (&left, &left), (&right, &right));
    proptest!(|((p, (r, r2), (s, s2)) in inputs)| {
        let rs = map.multiply(&r, &s);
        prop_assert_eq!(map.multiply(&one.plus(&r, &r2), &s), product.plus(&rs, &map.multiply(&r2, &s)));
        prop_assert_eq!(map.multiply(&r, &two.plus(&s, &s2)), product.plus(&rs, &map.multiply(&r, &s2)));
        prop_assert_eq!(map.multiply(&one.scale(&p, &r), &s), product.scale(&p, &rs));
        prop_assert_eq!(map.multiply(&r, &two.scale(&p, &s)), product.scale(&p, &rs));
        prop_assert_eq!(map.multiply(&one.zero(), &s), product.zero());
        prop_assert_eq!(map.multiply(&r, &two.zero()), product.zero());
    });
}
