//! Threads for work that is cut into fixed pieces.
//!
//! The pieces are part of the model, not of the machine: a caller cuts the work, the threads only pick pieces up, and
//! results come back in the order of the pieces. So nothing a caller computes depends on the number of threads.
//! Threads live for one call (starting one costs tens of microseconds), which makes a fork of the process harmless.

use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies `work` to every item on up to `threads` threads; the results are in the order of the items.
///
/// The calling thread is one of the workers. The token is polled before each item.
///
/// # Errors
/// [`Error::Cancelled`] when the token was cancelled; the first error of `work` by item order otherwise.
///
/// # Panics
/// A panic of `work` is passed on to the caller.
pub fn map<T, R, F>(threads: usize, cancel: &CancelToken, items: Vec<T>, work: F) -> Result<Vec<R>>
where
    T: Send,
    R: Send,
    F: Fn(usize, T) -> Result<R> + Sync,
{
    let count = items.len();
    let workers = threads.clamp(1, count.max(1));
    if workers == 1 {
        return items
            .into_iter()
            .enumerate()
            .map(|(n, item)| cancel.check().and_then(|()| work(n, item)))
            .collect();
    }
    let items: Vec<Mutex<Option<T>>> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let results: Vec<Mutex<Option<Result<R>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= count || cancel.is_cancelled() {
                return;
            }
            let Some(item) = take(&items[n]) else { return };
            let result = work(n, item);
            if let Ok(mut slot) = results[n].lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(run);
        }
        run();
    });
    cancel.check()?;
    results
        .into_iter()
        .map(|slot| {
            slot.into_inner()
                .ok()
                .flatten()
                .unwrap_or(Err(Error::Cancelled))
        })
        .collect()
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().ok()?.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_items_for_any_thread_count() {
        let expected: Vec<usize> = (0..100).map(|n| n * n).collect();
        for threads in [1, 2, 3, 8, 200] {
            let got = map(
                threads,
                &CancelToken::new(),
                (0..100).collect(),
                |_, n: usize| Ok(n * n),
            );
            assert_eq!(got.as_ref(), Ok(&expected));
        }
    }

    #[test]
    fn a_cancelled_token_stops_the_work() {
        let token = CancelToken::new();
        token.cancel();
        let got = map(2, &token, vec![1, 2, 3], |_, n: usize| Ok(n));
        assert_eq!(got, Err(Error::Cancelled));
    }
}
