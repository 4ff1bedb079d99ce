//! Whole numbers in 16 bits where all of them fit.

/// Whole numbers, in 16 bits or in 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packed<'a> {
    /// All are below 2^16.
    Short(&'a [u16]),
    /// At least one is not.
    Word(&'a [u32]),
}

impl Packed<'_> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Short(numbers) => numbers.len(),
            Self::Word(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn get(&self, place: usize) -> u32 {
        match self {
            Self::Short(numbers) => u32::from(numbers[place]),
            Self::Word(numbers) => numbers[place],
        }
    }

    /// Takes so many from the front.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    #[inline]
    pub fn split_off(&mut self, count: usize) -> Self {
        match self {
            Self::Short(numbers) => {
                let (taken, rest) = numbers.split_at(count);
                *numbers = rest;
                Self::Short(taken)
            }
            Self::Word(numbers) => {
                let (taken, rest) = numbers.split_at(count);
                *numbers = rest;
                Self::Word(taken)
            }
        }
    }

    /// The largest of them; 0 if there are none.
    #[must_use]
    pub fn most(&self) -> u32 {
        match self {
            Self::Short(numbers) => numbers.iter().copied().max().map_or(0, u32::from),
            Self::Word(numbers) => numbers.iter().copied().max().unwrap_or(0),
        }
    }

    /// Their sum.
    #[must_use]
    pub fn sum(&self) -> u64 {
        match self {
            Self::Short(numbers) => numbers.iter().map(|&n| u64::from(n)).sum(),
            Self::Word(numbers) => numbers.iter().map(|&n| u64::from(n)).sum(),
        }
    }

    /// Puts them into an array in place of what it holds.
    pub fn unpack(&self, into: &mut Vec<u32>) {
        into.clear();
        match self {
            Self::Short(numbers) => into.extend(numbers.iter().map(|&n| u32::from(n))),
            Self::Word(numbers) => into.extend_from_slice(numbers),
        }
    }

    /// Puts their running sums into an array in place of what it holds: from 0 to the sum of all, one more than there are. The sum must be below 2^32.
    pub fn unpack_starts(&self, into: &mut Vec<u32>) {
        into.clear();
        into.reserve(self.len() + 1);
        into.push(0);
        let mut sum = 0_u32;
        let mut next = |number: u32| {
            // Checked when the block was read.
            sum = sum.wrapping_add(number);
            sum
        };
        match self {
            Self::Short(numbers) => into.extend(numbers.iter().map(|&n| next(u32::from(n)))),
            Self::Word(numbers) => into.extend(numbers.iter().map(|&n| next(n))),
        }
    }
}
