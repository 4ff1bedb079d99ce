//! # Files of forests
//!
//! [`ForestReader`] takes byte blocks of a file in a [`Format`] and gives [`Forests`]; [`write`] gives the bytes. Readers refuse what they cannot use with
//! line, column and remedy; they allocate for what has come, not for what a file announces, and do not recurse.

mod cdec;
mod draft;
mod egret;
mod joshua;
mod lattice;
mod line;
mod moses;
mod nbest;
mod openfst;
mod output;
mod plf;
mod rule;
mod slf;
mod travatar;

use super::forest::Forests;
use crate::error::{Error, Result};
use crate::text::lines::LineCutter;
use rustc_hash::FxHashSet;
use std::fmt::Debug;

/// A format of forests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON of cdec.
    Cdec,
    /// Hypergraphs of Moses, and the same without the third field.
    Moses,
    /// Target graphs of lazy.
    Lazy,
    /// Disk hypergraphs of Joshua, in two files.
    Joshua,
    /// Python lattice format.
    Plf,
    /// HTK's standard lattice format.
    Slf,
    /// Text of `OpenFst`.
    OpenFst,
    /// n-best lists of Moses.
    Nbest,
    /// JSON of Travatar.
    Travatar,
    /// Packed forests of Egret.
    Egret,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::Cdec,
        Self::Moses,
        Self::Lazy,
        Self::Joshua,
        Self::Plf,
        Self::Slf,
        Self::OpenFst,
        Self::Nbest,
        Self::Travatar,
        Self::Egret,
    ];

    /// The name that users write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cdec => "cdec",
            Self::Moses => "moses",
            Self::Lazy => "lazy",
            Self::Joshua => "joshua",
            Self::Plf => "plf",
            Self::Slf => "slf",
            Self::OpenFst => "openfst",
            Self::Nbest => "nbest",
            Self::Travatar => "travatar",
            Self::Egret => "egret",
        }
    }

    /// The format of this name.
    ///
    /// # Errors
    /// [`Error::Config`] for a name that none has.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            Error::config("format", &format!("one of {}", names.join(", ")), name)
        })
    }
}

/// What stored weights are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Negative natural logarithms.
    Costs,
    /// Natural logarithms.
    LogProbabilities,
}

impl Sign {
    /// From a stored weight to a natural logarithm, and back.
    #[must_use]
    pub fn apply(self, value: f64) -> f64 {
        match self {
            // Without a negative zero.
            Self::Costs => 0.0 - value,
            Self::LogProbabilities => value,
        }
    }
}

/// What a file does not say of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Joshua: what the stored best weights are; without it, forests have no weights.
    pub sign: Option<Sign>,
    /// Joshua: the weights of the model values, to check the stored best weights against them; none to check nothing.
    pub weights: Vec<f64>,
    /// `OpenFst`: arcs have one label.
    pub acceptor: bool,
    /// `OpenFst`: a table of symbols goes with what is written, so that a word may look like a number.
    pub has_symbols: bool,
}

/// One of the files that a forest is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// The forests.
    #[default]
    Main,
    /// Joshua's rules.
    Rules,
    /// `OpenFst`'s input symbols.
    InputSymbols,
    /// `OpenFst`'s output symbols.
    OutputSymbols,
}

/// What reads a format line by line.
trait LineParser: Debug + Send {
    /// A file begins.
    fn begin(&mut self, _part: Part) {}
    /// The next line of a file.
    fn line(&mut self, part: Part, number: u64, bytes: &[u8]) -> Result<()>;
    /// The forests, after the last of so many lines of the main file.
    fn finish(&mut self, lines: u64) -> Result<Forests>;
}

/// Reads forests from byte blocks.
///
/// # Complexity
/// Linear time; memory for the forests, and for JSON also for the bytes.
#[derive(Debug)]
pub struct ForestReader {
    content: Content,
    part: Part,
}

#[derive(Debug)]
enum Content {
    Cdec(cdec::CdecReader),
    Travatar(travatar::TravatarReader),
    Lines {
        cutter: LineCutter,
        lines: u64,
        parser: Box<dyn LineParser>,
    },
}

impl ForestReader {
    /// A reader of files in this format.
    #[must_use]
    pub fn new(format: Format, options: Options) -> Self {
        let parser: Box<dyn LineParser> = match format {
            Format::Cdec => {
                return Self {
                    content: Content::Cdec(cdec::CdecReader::default()),
                    part: Part::Main,
                };
            }
            Format::Travatar => {
                return Self {
                    content: Content::Travatar(travatar::TravatarReader::default()),
                    part: Part::Main,
                };
            }
            Format::Moses | Format::Lazy => Box::<moses::MosesReader>::default(),
            Format::Joshua => Box::new(joshua::JoshuaReader::new(options)),
            Format::Plf => Box::<plf::PlfReader>::default(),
            Format::Slf => Box::<slf::SlfReader>::default(),
            Format::OpenFst => Box::new(openfst::OpenFstReader::new(options)),
            Format::Nbest => Box::<nbest::NbestReader>::default(),
            Format::Egret => Box::<egret::EgretReader>::default(),
        };
        Self {
            content: Content::Lines {
                cutter: LineCutter::default(),
                lines: 0,
                parser,
            },
            part: Part::Main,
        }
    }

    /// Begins another file: rules and symbols come before the forests.
    ///
    /// # Errors
    /// As [`ForestReader::feed`], for the last line of the file before.
    pub fn begin(&mut self, part: Part) -> Result<()> {
        if let Content::Lines {
            cutter,
            lines,
            parser,
        } = &mut self.content
        {
            let current = self.part;
            cutter.finish(|number, bytes| parser.line(current, number, bytes))?;
            *cutter = LineCutter::default();
            *lines = 0;
            parser.begin(part);
        }
        self.part = part;
        Ok(())
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// [`Error::Text`] with line, column and remedy for what does not fit the format; [`Error::Memory`], [`Error::TooLarge`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        match &mut self.content {
            Content::Cdec(reader) => reader.feed(block),
            Content::Travatar(reader) => reader.feed(block),
            Content::Lines {
                cutter,
                lines,
                parser,
            } => {
                let part = self.part;
                cutter.feed(block, |number, bytes| {
                    *lines = number;
                    parser.line(part, number, bytes)
                })
            }
        }
    }

    /// The forests, after the last block.
    ///
    /// # Errors
    /// As [`ForestReader::feed`]; [`Error::Text`] for a file that is cut short.
    pub fn finish(self) -> Result<Forests> {
        match self.content {
            Content::Cdec(reader) => reader.finish(),
            Content::Travatar(reader) => reader.finish(),
            Content::Lines {
                mut cutter,
                mut lines,
                mut parser,
            } => {
                let part = self.part;
                cutter.finish(|number, bytes| {
                    lines = number;
                    parser.line(part, number, bytes)
                })?;
                parser.finish(lines)
            }
        }
    }
}

/// The bytes of a file of forests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The forests.
    pub main: Vec<u8>,
    /// Joshua: the rules.
    pub rules: Vec<u8>,
    /// `OpenFst`: the symbols of the words.
    pub symbols: Vec<u8>,
}

/// The forests as a file.
///
/// `forests` must be sound: see [`Forests::check`].
///
/// # Errors
/// [`Error::Hypergraph`] for what the format cannot hold, with the edge and what to do; [`Error::Config`] for several forests in a format of one.
///
/// # Complexity
/// Linear time; memory for the bytes.
pub fn write(forests: &Forests, format: Format, options: &Options) -> Result<Written> {
    let mut out = Written::default();
    let (least, most) = match format {
        Format::Moses | Format::Lazy | Format::OpenFst => (1, 1),
        Format::Cdec | Format::Joshua | Format::Slf | Format::Travatar | Format::Egret => {
            (1, usize::MAX)
        }
        Format::Plf | Format::Nbest => (0, usize::MAX),
    };
    if !(least..=most).contains(&forests.list.len()) {
        let count = if most == 1 {
            "one forest"
        } else {
            "a forest or more"
        };
        let expected = format!(
            "one that holds this number of forests; {} files hold {count}",
            format.name()
        );
        return Err(Error::config("format", &expected, forests.list.len()));
    }
    let mut rules = joshua::Rules::default();
    let mut ids = FxHashSet::default();
    for (number, forest) in forests.list.iter().enumerate() {
        match format {
            Format::Cdec => cdec::write(forests, forest, &mut out.main)?,
            Format::Moses => moses::write(forests, forest, true, &mut out.main)?,
            Format::Lazy => moses::write(forests, forest, false, &mut out.main)?,
            Format::Joshua => {
                let sign = options.sign.unwrap_or(Sign::LogProbabilities);
                joshua::write(forests, number, &mut rules, sign, &mut out)?;
            }
            Format::Plf => plf::write(forests, forest, &mut out.main)?,
            Format::Slf => slf::write(forests, forest, &mut out.main)?,
            Format::OpenFst => openfst::write(forests, forest, options, &mut out.main)?,
            Format::Nbest => nbest::write(forests, number, &mut ids, &mut out.main)?,
            Format::Travatar => travatar::write(forests, forest, &mut out.main)?,
            Format::Egret => egret::write(forests, number, &mut out.main)?,
        }
    }
    if format == Format::OpenFst {
        openfst::write_symbols(forests, &mut out.symbols);
    }
    Ok(out)
}
