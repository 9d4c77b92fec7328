//! How a `null_blk` disk is set so that it keeps its bandwidth.
//!
//! `null_blk` (Linux, `drivers/block/null_blk/main.c`) hands out bandwidth in buckets of 20 ms:
//! 1/50 of `mbps` MiB. A request that the rest of a bucket cannot hold waits for the next one and
//! that rest is lost; a request larger than a whole bucket waits for ever. So the largest request
//! is kept to a small share of a bucket, and to one of which a whole number nearly fills it.

/// Buckets a second (`TICKS_PER_SEC`).
const BUCKETS: u64 = 50;

/// The block size, and so the smallest request, in bytes.
const BLOCK: u64 = 4096;

/// The kernel's own default for the largest request, in bytes; the largest that is ever set.
const LARGEST: u64 = 1280 << 10;

/// The largest request, in KiB, that a disk of `mbps` MiB/s is given; 0 means unlimited bandwidth.
pub(crate) fn max_request_kib(mbps: u32) -> u32 {
    let bucket = bucket_bytes(mbps);
    let blocks = match bucket {
        0 => LARGEST / BLOCK,
        _ => {
            let most = (bucket / 32 / BLOCK).clamp(1, LARGEST / BLOCK);
            let least = (bucket / 64 / BLOCK).clamp(1, most);
            (least..=most).rev().min_by_key(|n| bucket % (n * BLOCK)).unwrap_or(1)
        }
    };
    u32::try_from(blocks * BLOCK / 1024).unwrap_or(4)
}

/// What the guest's CPU moves to all disks together at best, in MiB/s × ns an instruction: 1 MiB
/// requests to blocks that were written before, Linux 6.12. Small requests cost more.
pub(crate) const CPU_MIB: u64 = 1500;

/// A word where the disks together are allowed more than the guest's CPU, which does their copying,
/// can move.
pub(crate) fn bound_by_cpu(disks: u32, mbps: u32, insn_ns: u32) -> Option<String> {
    let allowed = u64::from(disks) * u64::from(mbps);
    let most = CPU_MIB / u64::from(insn_ns);
    (allowed > most).then(|| {
        format!(
            "the disks may take {allowed} MiB/s together, but the guest's CPU, which does their \
             work, moves at most about {most} MiB/s at insn.ns={insn_ns}: they are bound by it"
        )
    })
}

/// The bytes of a bucket, as `mb_per_tick` computes them.
fn bucket_bytes(mbps: u32) -> u64 {
    (1 << 20) / BUCKETS * u64::from(mbps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_fill_a_bucket_to_within_3_percent_and_never_exceed_it() {
        for mbps in 1..=10_000 {
            let (bucket, request) = (bucket_bytes(mbps), u64::from(max_request_kib(mbps)) * 1024);
            let used = bucket / request * request;
            assert!(request.is_multiple_of(BLOCK) && request <= bucket, "{mbps}: {request}");
            assert!(used * 100 >= bucket * 97, "{mbps}: {used} of {bucket} in {request}");
        }
    }

    #[test]
    fn disks_that_the_cpu_cannot_serve_are_told_of() {
        assert!(bound_by_cpu(12, 40, 2).is_none());
        assert!(bound_by_cpu(12, 100, 2).is_some_and(|said| said.contains("1200 MiB/s")));
        assert!(bound_by_cpu(1, 0, 1024).is_none(), "unlimited is no promise");
    }

    #[test]
    fn an_unlimited_disk_takes_the_kernels_largest_request() {
        assert_eq!(max_request_kib(0), 1280);
    }
}
