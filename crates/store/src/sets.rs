//! Sets: the trials that one run or comparison made.

use model::Trial;

use crate::archive::Archive;
use crate::error::{Kind, StoreError};
use crate::find::{Miss, nearest, resolve};
use crate::folder;
use crate::id::LAST;
use crate::index::Member;
use crate::variants::by_variant;

/// Stored trials that can stand as sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The ID of the set, or of the one trial that was asked for.
    pub id: String,
    /// The trials of each variant, broken ones among them, oldest first. Trials of equal settings
    /// and place are of one variant. A comparison's variants stand in the order of its question,
    /// others in the order of their first trials.
    pub variants: Vec<Vec<Trial>>,
}

/// What an ID stands for.
enum Found {
    Set(String),
    Trial(String),
}

impl Archive {
    /// The set of that ID, or the one trial of that ID; or the only one whose ID begins so, of which
    /// a set goes before a trial. Nothing and `last` mean the set of the newest trial. `SET:K` means
    /// the set's `K`th variant alone, counted from 1.
    ///
    /// A trial that knows no set, since it is older than sets, is a set of its own.
    ///
    /// # Errors
    /// None or several match (with what does), there are fewer variants, or a trial of the set
    /// cannot be read.
    pub fn set(&self, wanted: &str) -> Result<Set, StoreError> {
        let (name, number) = match wanted.rsplit_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (wanted, None),
        };
        let members = self.members()?;
        let set = match self.named(&members, name)? {
            Found::Trial(id) => {
                let trial = folder::read(&self.folder(&id))?;
                Set { id, variants: vec![vec![trial]] }
            }
            Found::Set(id) => self.whole(id, &members)?,
        };
        match number {
            Some(number) => only(set, wanted, number),
            None => Ok(set),
        }
    }

    /// All trials with their sets, oldest first.
    pub(crate) fn members(&self) -> Result<Vec<Member>, StoreError> {
        match self.index.members() {
            Some(members) => Ok(members),
            None => Ok(self.list()?.trials.iter().map(Member::of).collect()),
        }
    }

    fn named(&self, members: &[Member], wanted: &str) -> Result<Found, StoreError> {
        let newest = members.last();
        let newest = newest.ok_or_else(|| StoreError::Empty { folder: self.trials.clone() })?;
        if wanted.is_empty() || wanted == LAST {
            return Ok(Found::Set(newest.set.clone()));
        }
        let trials: Vec<String> = members.iter().map(|member| member.trial.clone()).collect();
        let mut sets: Vec<String> = members.iter().map(|member| member.set.clone()).collect();
        sets.sort();
        sets.dedup();
        find(&sets, &trials, wanted).map_err(|(of, miss)| match miss {
            Miss::Ambiguous { candidates } => {
                StoreError::Ambiguous { of, wanted: wanted.to_owned(), candidates }
            }
            Miss::Empty | Miss::Unknown { .. } => self.no_set(wanted, &[sets, trials].concat()),
        })
    }

    /// Why nothing has that ID: the folder is there and is damaged, or it is not.
    fn no_set(&self, wanted: &str, ids: &[String]) -> StoreError {
        if self.names().is_ok_and(|names| names.iter().any(|name| name == wanted))
            && let Err(damage) = folder::read(&self.folder(wanted))
        {
            return damage;
        }
        let nearest = nearest(ids, wanted).to_owned();
        StoreError::UnknownSet { wanted: wanted.to_owned(), nearest, folder: self.trials.clone() }
    }

    fn whole(&self, id: String, members: &[Member]) -> Result<Set, StoreError> {
        let of_set = members.iter().filter(|member| member.set == id);
        let trials = of_set
            .map(|member| folder::read(&self.folder(&member.trial)))
            .collect::<Result<Vec<Trial>, StoreError>>()?;
        let asked = self.question(&id).map(|question| question.variants).unwrap_or_default();
        let variants = by_variant(trials, &asked);
        Ok(Set { id, variants })
    }
}

/// The set or else the trial that is `wanted`, whole or as a prefix.
fn find(sets: &[String], trials: &[String], wanted: &str) -> Result<Found, (Kind, Miss)> {
    let is = |id: &String| id == wanted;
    if trials.iter().any(is) && !sets.iter().any(is) {
        return Ok(Found::Trial(wanted.to_owned()));
    }
    match resolve(sets, wanted) {
        Ok(id) => Ok(Found::Set(id.to_owned())),
        Err(Miss::Unknown { .. }) => match resolve(trials, wanted) {
            Ok(id) => Ok(Found::Trial(id.to_owned())),
            Err(miss) => Err((Kind::Trial, miss)),
        },
        Err(miss) => Err((Kind::Set, miss)),
    }
}

/// The set with that variant alone.
fn only(set: Set, wanted: &str, number: &str) -> Result<Set, StoreError> {
    let count = set.variants.len();
    let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match at.and_then(|at| set.variants.get(at).cloned()) {
        Some(variant) => Ok(Set { variants: vec![variant], ..set }),
        None => Err(StoreError::NoVariant { wanted: wanted.to_owned(), id: set.id, count }),
    }
}
