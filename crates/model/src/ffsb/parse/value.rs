//! What stands behind an option's name.

use super::number::{size, thousandths, whole};
use super::options::Form;
use crate::ffsb::{Call, Op, OpWeight, SizeWeight};

/// A value, read as its option wants it.
#[derive(Debug)]
pub(super) enum Value {
    Number(u64),
    Text(String),
    Weight(OpWeight),
    SizeWeight(SizeWeight),
    /// Microseconds.
    Range(u64, u64),
    Call(Call),
}

const COUNT: u64 = u32::MAX as u64;
/// A size's weight is a C `int` in the original.
const SIZE_WEIGHT: u64 = i32::MAX as u64;

/// Reads a value; the error says what is wrong and what was expected.
pub(super) fn value(form: Form, text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Err(format!("there is no value; expected one, such as {}", form.example()));
    }
    match form {
        Form::Count => number(text, 0, COUNT).map(Value::Number),
        Form::Flag => flag(text).map(Value::Number),
        Form::Size => size(text, None).map(Value::Number),
        Form::Block => size(text, Some(COUNT)).map(Value::Number),
        Form::Text => Ok(Value::Text(text.to_owned())),
        Form::Location => location(text).map(Value::Text),
        Form::Part => part(text).map(Value::Number),
        Form::Weight(op) => weight(op, text).map(Value::Weight),
        Form::SizeWeight => size_weight(text).map(Value::SizeWeight),
        Form::Range => range(text).map(|(from, to)| Value::Range(from, to)),
        Form::Call => call(text).map(Value::Call),
    }
}

fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    whole(text).filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        format!("`{text}` does not do; expected a whole number from {least} to {most}")
    })
}

fn flag(text: &str) -> Result<u64, String> {
    whole(text).filter(|flag| *flag <= 1).ok_or_else(|| format!("`{text}` is neither 0 nor 1"))
}

/// The original drops white space from within a path, so neither reading of one would be right.
fn location(text: &str) -> Result<String, String> {
    match text.contains(char::is_whitespace) {
        true => Err(format!("`{text}` has white space in it; expected a path without")),
        false => Ok(text.to_owned()),
    }
}

fn part(text: &str) -> Result<u64, String> {
    thousandths(text).filter(|part| *part <= 1000).ok_or_else(|| {
        format!("`{text}` is no part; expected 0 to 1 with up to three decimals, such as 0.25")
    })
}

fn weight(op: Op, text: &str) -> Result<OpWeight, String> {
    number(text, 0, COUNT).map(|weight| OpWeight { op, weight })
}

fn size_weight(text: &str) -> Result<SizeWeight, String> {
    let Some((bytes, weight)) = two(text) else {
        return Err(format!("`{text}` does not do; expected a size and a weight, such as 4k 10"));
    };
    Ok(SizeWeight { size: size(bytes, None)?, weight: number(weight, 1, SIZE_WEIGHT)? })
}

fn range(text: &str) -> Result<(u64, u64), String> {
    let read = || {
        let (from, to) = two(text)?;
        Some((thousandths(from)?, thousandths(to)?))
    };
    read().filter(|(from, to)| from <= to).ok_or_else(|| {
        format!(
            "`{text}` is no range; expected two times in milliseconds with up to three decimals, \
             the lesser first, such as 0.5 1.0"
        )
    })
}

fn two(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    let pair = (words.next()?, words.next()?);
    words.next().is_none().then_some(pair)
}

fn call(text: &str) -> Result<Call, String> {
    let known = Call::ALL.into_iter().find(|call| call.name().eq_ignore_ascii_case(text));
    known.ok_or_else(|| {
        let names: Vec<&str> = Call::ALL.into_iter().map(Call::name).collect();
        format!("`{text}` is no call that is timed; expected one of {}", names.join(", "))
    })
}
