//! By how much the timed run of an ffsb profile is scaled, in a sentence.

use model::TrialSpec;
use model::place::is_exact;

use crate::quantity::duration;

/// `scale 1:400: the profile's 600.0 s are 1.500 s here, and …`; `None` where nothing is scaled.
#[must_use]
pub fn scale_line(spec: &TrialSpec) -> Option<String> {
    let profile = spec.ffsb.as_ref()?;
    let scale = spec.scale();
    // The kernel that runs on this machine is left as it is.
    let alike = match is_exact(&spec.place) {
        true => ", and the kernel's dirty limits and periods are scaled alike",
        false => "; the kernel's dirty limits and periods are not scaled",
    };
    (scale > 1).then(|| {
        format!(
            "scale 1:{scale}: the profile's {} are {} here{alike}",
            duration(profile.time.saturating_mul(1_000_000_000)),
            duration(spec.timed_run_ns())
        )
    })
}
