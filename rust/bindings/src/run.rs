//! Long work that can be watched and interrupted.
//!
//! The work runs on a thread of its own. The calling thread waits in slices of 50 ms without the interpreter's lock, hands progress to Python, and looks
//! for signals; when one raises, the work is asked to stop, and the exception goes on once it has.

use crate::errors::to_python;
use plait_core::cancel::CancelToken;
use plait_core::error::Result;
use plait_core::progress::Progress;
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

const SLICE: Duration = Duration::from_millis(50);

/// Reports that may wait for a slow callback; a corpus of a few words makes many thousands a second.
const WAITING: usize = 256;

/// One report of progress on its way to Python.
struct Report {
    stage: String,
    done: u64,
    total: u64,
    figures: Vec<(String, f64)>,
}

struct Channel(SyncSender<Report>);

impl Progress for Channel {
    fn report(&self, stage: &str, done: u64, total: u64, figures: &[(&str, f64)]) {
        let figures = figures
            .iter()
            .map(|&(name, value)| (name.to_owned(), value))
            .collect();
        let report = Report {
            stage: stage.to_owned(),
            done,
            total,
            figures,
        };
        // The first and the last of a stage always arrive. Sending fails when nobody listens any more, after an interrupt.
        if done == 0 || done >= total {
            let _ = self.0.send(report);
        } else {
            let _ = self.0.try_send(report);
        }
    }
}

/// Runs `work` apart from the interpreter; `callback(stage, done, total, figures)` hears of its progress.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&CancelToken, &dyn Progress) -> Result<T> + Send,
) -> PyResult<T> {
    let cancel = CancelToken::new();
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        let token = cancel.clone();
        let worker = scope.spawn(move || work(&token, &Channel(sender)));
        if let Err(stop) = watch(py, callback, receiver) {
            cancel.cancel();
            // The exception waits until the work has let go of its data.
            py.detach(|| worker.join().ok());
            return Err(stop);
        }
        match py.detach(|| worker.join()) {
            Ok(result) => result.map_err(|error| to_python(py, &error)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Hands on reports until the worker is done; an exception of the callback or of a signal handler ends it early.
fn watch(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    receiver: Receiver<Report>,
) -> PyResult<()> {
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let next = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(SLICE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        py.check_signals()?;
        match (next, callback) {
            (Ok(report), Some(callback)) => {
                callback.call1((report.stage, report.done, report.total, report.figures))?;
            }
            (Err(RecvTimeoutError::Disconnected), _) => return Ok(()),
            (Ok(_), None) | (Err(RecvTimeoutError::Timeout), _) => {}
        }
    }
}
