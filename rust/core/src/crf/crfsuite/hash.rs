//! The hash of names: Jenkins' lookup3, `hashlittle` with the seed 0.

/// The hash of a key.
pub(super) fn hash(key: &[u8]) -> u32 {
    // Lengths are below 2^32: they are stored as 32 bits.
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut state = [0xDEAD_BEEF_u32.wrapping_add(length); 3];
    let mut rest = key;
    while rest.len() > 12 {
        let (block, behind) = rest.split_at(12);
        add(&mut state, block);
        mix(&mut state);
        rest = behind;
    }
    if !rest.is_empty() {
        add(&mut state, rest);
        finish(&mut state);
    }
    state[2]
}

/// Adds up to 12 bytes as three numbers, zeros behind the last one.
fn add(state: &mut [u32; 3], bytes: &[u8]) {
    for (word, part) in state.iter_mut().zip(bytes.chunks(4)) {
        let mut four = [0; 4];
        four[..part.len()].copy_from_slice(part);
        *word = word.wrapping_add(u32::from_le_bytes(four));
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    let step = |x: &mut u32, y: &mut u32, z: &mut u32, turn| {
        *x = x.wrapping_sub(*z) ^ z.rotate_left(turn);
        *z = z.wrapping_add(*y);
    };
    step(a, b, c, 4);
    step(b, c, a, 6);
    step(c, a, b, 8);
    step(a, b, c, 16);
    step(b, c, a, 19);
    step(c, a, b, 4);
}

fn finish([a, b, c]: &mut [u32; 3]) {
    let step = |x: &mut u32, y: &u32, turn| *x = (*x ^ *y).wrapping_sub(y.rotate_left(turn));
    step(c, b, 14);
    step(a, c, 11);
    step(b, a, 25);
    step(c, b, 16);
    step(a, c, 4);
    step(b, a, 14);
    step(c, b, 24);
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn hashes_are_those_that_jenkins_gives() {
        // The self-test of lookup3.c.
        assert_eq!(hash(b""), 0xDEAD_BEEF);
        assert_eq!(hash(b"Four score and seven years ago"), 0x1777_0551);
    }
}
