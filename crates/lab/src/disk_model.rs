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
#[must_use]
pub fn max_request_kib(mbps: u32) -> u32 {
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
    fn an_unlimited_disk_takes_the_kernels_largest_request() {
        assert_eq!(max_request_kib(0), 1280);
    }
}
