//! Takes out of a text what tells which machine or person it comes from.
//!
//! Made for what `slowpath snapshot` writes, and of use for other texts of a kernel. Kernel
//! versions, models, sizes and addresses of code stay. `docs/snapshot.md` tells what is replaced
//! and what is not.

mod known;
mod names;
mod number_shapes;
mod shapes;

use known::Known;
use names::{Kind, Names};
use shapes::Found;

/// The text with placeholders such as `host-1` and `ipv4-2`; the same name has the same one
/// wherever it stands in the text. A text that was made so stays as it is.
#[must_use]
pub fn anonymise(text: &str) -> String {
    let known = Known::learn(text);
    let mut names = Names::default();
    let mut shown = String::with_capacity(text.len());
    let mut section = Section::Summary;
    for line in text.split_inclusive('\n') {
        section = section.after(line);
        match known::keyed(line, section == Section::Summary) {
            Some(found) => replace(line, found, &mut names, &mut shown),
            None => replace_all(line, section, &known, &mut names, &mut shown),
        }
    }
    shown
}

/// Where in a snapshot a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Before the first heading.
    Summary,
    /// Full of versions, which may look like addresses.
    Versions,
    Other,
}

/// The sections of which versions, not addresses, are to be expected.
const VERSIONS: [&str; 5] =
    ["kernel version", "kernel config", "distribution", "machine", "programs"];

impl Section {
    fn after(self, line: &str) -> Section {
        match line.strip_prefix("== ") {
            None => self,
            Some(title) if VERSIONS.iter().any(|known| title.starts_with(known)) => {
                Section::Versions
            }
            Some(_) => Section::Other,
        }
    }
}

fn replace(text: &str, found: Found, names: &mut Names, shown: &mut String) {
    let (kept, rest) = text.split_at(found.keep);
    let (name, rest) = rest.split_at(found.length);
    shown.push_str(kept);
    shown.push_str(&names.placeholder(found.kind, name));
    shown.push_str(rest);
}

/// From left to right, and never twice in the same place.
fn replace_all(line: &str, section: Section, known: &Known, names: &mut Names, shown: &mut String) {
    let mut at = 0;
    while let Some(next) = line[at..].chars().next() {
        let (before, rest) = line.split_at(at);
        let found = known.at(before, rest).or_else(|| shapes::at(before, rest));
        let found = found.filter(|found| found.kind != Kind::Ipv4 || section != Section::Versions);
        match found {
            Some(found) => {
                let length = found.keep + found.length;
                replace(&rest[..length], found, names, shown);
                at += length;
            }
            None => {
                let kept = known.kept(before, rest).unwrap_or(next.len_utf8());
                shown.push_str(&rest[..kept]);
                at += kept;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_identifies_is_replaced() {
        for (text, expected) in [
            ("/home/ann/x /home/bob:/home/ann", "/home/user-1/x /home/user-2:/home/user-1"),
            ("/run/media/ann/disk", "/run/media/user-1/disk"),
            ("rw,username=ann,vers=3", "rw,username=user-1,vers=3"),
            ("addr=10.1.2.3,clientaddr=10.1.2.4", "addr=ipv4-1,clientaddr=ipv4-2"),
            ("http://192.168.1.10:80/ (192.168.1.10)", "http://ipv4-1:80/ (ipv4-1)"),
            ("10.1.2.3: up. 10.1.2.3.", "ipv4-1: up. ipv4-1."),
            ("[fe80::1%eth0] 2001:db8::7 FE80::1", "[ipv6-1%eth0] ipv6-2 ipv6-1"),
            ("1:2:3:4:5:6:7:8 ::ffff:10.1.2.3", "ipv6-1 ipv6-2"),
            ("52:54:00:12:ab:cd 52:54:00:12:AB:CD", "mac-1 mac-1"),
            ("root=UUID=a1b2c3d4-0000-1111-2222-333344445555 ro", "root=UUID=uuid-1 ro"),
            ("root=PARTUUID=1234abcd-02 ro", "root=PARTUUID=uuid-1 ro"),
            ("cryptdevice=UUID=1234-ABCD:root", "cryptdevice=UUID=uuid-1:root"),
            ("luks-a1b2c3d4-0000-1111-2222-333344445555", "luks-uuid-1"),
            ("LABEL=mine LABEL=\"my own\" x", "LABEL=label-1 LABEL=\"label-2\" x"),
            ("ip=10.1.2.3::10.1.2.1:255.0.0.0:box:eth0:off q", "ip=network-1 q"),
            ("systemd.hostname=box quiet", "systemd.hostname=host-1 quiet"),
            ("BOOTIF=01-52-54-00-12-ab-cd", "BOOTIF=mac-1"),
            ("ann.b+c@mail.example.org>", "email-1>"),
            ("Linux version 6.1 (ann@box) (gcc)", "Linux version 6.1 (email-1) (gcc)"),
            (
                "/dev/disk/by-id/ata-Model_S1-part2 /dev/disk/by-id/ata-Model_S1",
                "/dev/disk/by-id/id-1-part2 /dev/disk/by-id/id-1",
            ),
            ("/dev/disk/by-label/mine", "/dev/disk/by-label/label-1"),
            ("wwn-0x5000c500a1b2c3d4 naa.5000c500a1b2c3d4", "wwn-id-1 naa.id-2"),
            ("iqn.2003-01.org.example:disk1 up", "iqn.id-1 up"),
            ("0123456789abcdef0123456789abcdef.scope", "id-1.scope"),
            ("CRYPT-LUKS2-0123456789abcdef0123456789abcdef-root", "CRYPT-LUKS2-id-1-root"),
            ("dm/uuid: mpath-3600508b400105e210000900000490000", "dm/uuid: mpath-id-1"),
            ("aB3dEf-1234-abcd-ABCD-5678-efgh-aB3dEf", "id-1"),
        ] {
            assert_eq!(anonymise(text), expected);
        }
        let lvm = format!("dm/uuid: LVM-{}\n", "aB3".repeat(22).split_at(64).0);
        assert_eq!(anonymise(&lvm), "dm/uuid: LVM-id-1\n");
    }

    #[test]
    fn what_only_looks_so_stays() {
        for text in [
            "Linux version 6.1.0-57-amd64 #1 SMP Debian 6.1.148-1 (2025-08-26)",
            "Linux version 10.0.2.5 and release 10.0.2.5, v10.0.2.5",
            "kernel: 2.6.32.12\nuname: Linux 2.6.32.12 #1\n",
            "/boot/config-2.6.32.12 /lib/modules/2.6.32.12/build linux-2.6.16.60",
            "10.0.2.5-amd64 10.0.2.5+ 10.0.2.5~rc1 1.10.0.2.5 10.0.2.5.1 300.1.1.1",
            "VERSION_ID=\"8.1.2.3\" firmware_rev: 1.2.3.4",
            "0.0.0.0 127.0.0.1 255.255.255.0 ::1",
            "load: 0.00 0.01 0.05 1/234 5678 avg10=0.00",
            "0::/user.slice/user-1000.slice/user@1000.service",
            "4:memory:/a 0:0:0:0 0000:00:1f.2 12:34:56 8:0 std::io a::b",
            "f+0x1/0x2 [<ffffffff81234567>] 0xffff888012345678 g1234567890ab",
            "1234567890abcdef1234567890abcdef12345678",
            "sda model: Samsung SSD 860 PRO 1TB size: 1000215216",
            "root=/dev/sda2 ip=dhcp /home /home/ user home",
            "Serial: 8250/16550 driver, 32 ports",
            "host-1 /home/user-1 ipv4-1 uuid-1 LABEL=label-1",
            "aaaaaa-bbbb",
        ] {
            assert_eq!(anonymise(text), text);
        }
    }

    #[test]
    fn a_snapshot_loses_its_hosts_and_serials_everywhere() {
        let text = "slowpath snapshot 1\nhost: my-box.example.org\n\
                    uname: Linux my-box.example.org 6.1.0\ndevice: filer:/data\n\n\
                    == mount of / (/proc/self/mountinfo)\n\
                    20 1 0:8 / / rw - nfs4 filer:/data rw\n\
                    /dev/mapper/my--box--vg-root MY-BOX my-boxes filers mail.example.org\n\
                    device/serial: WD-123456\nata-WD-123456\n";
        let expected = "slowpath snapshot 1\nhost: host-1\n\
                        uname: Linux host-1 6.1.0\ndevice: host-2:/data\n\n\
                        == mount of / (/proc/self/mountinfo)\n\
                        20 1 0:8 / / rw - nfs4 host-2:/data rw\n\
                        /dev/mapper/host-1--vg-root host-1 my-boxes filers mail.domain-1\n\
                        device/serial: id-1\nata-id-1\n";
        assert_eq!(anonymise(text), expected);
    }

    #[test]
    fn a_host_that_is_called_as_everything_is_spares_the_rest() {
        let text = "slowpath snapshot 1\nhost: vm\nuname: Linux vm 6.1.0\n\n\
                    == vm settings (/proc/sys/vm)\nvm: 1\n";
        let expected = text.replace("host: vm", "host: host-1").replace("x vm", "x host-1");
        assert_eq!(anonymise(text), expected);
    }

    #[test]
    fn versions_are_no_addresses_where_versions_stand() {
        let text = "== programs (PATH)\nld -v: GNU ld (Maker) 2.23.1.4\n\n== other (x)\n2.23.1.4\n";
        assert_eq!(anonymise(text), text.replace("x)\n2.23.1.4", "x)\nipv4-1"));
    }

    proptest! {
        #[test]
        fn nothing_changes_a_second_time(
            words in proptest::collection::vec(
                "(host: |serial: |/home/|UUID=|ip=|by-id/)?[-a-f0-9:.@é]{1,12}[ \n]",
                1..12,
            ),
        ) {
            let once = anonymise(&words.concat());
            prop_assert_eq!(anonymise(&once), once);
        }

        #[test]
        fn any_address_is_replaced(bytes in any::<[u8; 16]>(), short in any::<[u8; 4]>()) {
            let long = core::net::Ipv6Addr::from(bytes).to_string();
            prop_assert_eq!(anonymise(&format!("at {long}\n")), "at ipv6-1\n");
            prop_assume!(![0, 127, 255].contains(&short[0]));
            let short = core::net::Ipv4Addr::from(short).to_string();
            prop_assert_eq!(anonymise(&format!("at {short}, ")), "at ipv4-1, ");
        }
    }
}
