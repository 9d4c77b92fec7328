//! The operations, as the original does them (its `fileops.c`).

use std::os::fd::OwnedFd;

use model::ffsb::Op;

use super::build::Set;
use super::calls::Access;
use super::catalogue::Claim;
use super::tally::Done;
use super::transfer::{read_blocks, write_blocks};
use super::trouble::Trouble;
use super::worker::Worker;

type Did = Result<Done, Trouble>;

impl Worker<'_> {
    /// Does an operation in a fileset.
    ///
    /// # Errors
    /// The first of its calls that fails; the run ends then, and a file that it had stays taken.
    pub(super) fn perform(&mut self, op: Op, set: &Set) -> Did {
        let sync = self.group.fsync_file;
        match op {
            Op::Read => self.read(set),
            Op::Readall => self.read_all(set),
            Op::Write => self.write(set, sync),
            Op::WriteFsync => self.write(set, true),
            Op::Create => self.create(set, sync),
            Op::CreateFsync => self.create(set, true),
            Op::Append => self.append(set, sync),
            Op::AppendFsync => self.append(set, true),
            Op::Writeall => self.write_all(set, sync),
            Op::WriteallFsync => self.write_all(set, true),
            Op::Delete => self.delete(set),
            Op::Createdir => self.create_folder(set),
            Op::Stat => self.stat(set),
            Op::OpenClose => self.open_close(set),
            Op::Metaop => Err(Trouble::Unsupported),
        }
    }

    fn borrow(&mut self, set: &Set) -> Result<Claim, Trouble> {
        let claim = set.files.borrow(&mut self.hands.random)?;
        self.hands.name.set_file(&set.data, claim.place);
        self.calls.restart();
        Ok(claim)
    }

    fn open(&mut self, access: Access) -> Result<OwnedFd, Trouble> {
        let direct = self.direct();
        self.calls.open(self.hands.name.as_c_str(), access, direct)
    }

    fn open_sized(&mut self, access: Access) -> Result<(OwnedFd, u64), Trouble> {
        let file = self.open(access)?;
        let size = self.calls.size(&file)?;
        Ok((file, size))
    }

    /// Goes to a random offset below `bound`; the offset. Where there is no choice, the file stays
    /// at its start.
    fn go_anywhere(&mut self, file: &OwnedFd, bound: u64) -> Result<u64, Trouble> {
        if bound == 0 {
            return Ok(0);
        }
        let offset = self.random_offset(bound);
        self.calls.seek(file, offset)?;
        Ok(offset)
    }

    fn read(&mut self, set: &Set) -> Did {
        let claim = self.borrow(set)?;
        let (file, size) = self.open_sized(Access::Read)?;
        let wanted = self.group.read_size;
        needs(size, wanted, "read_size")?;
        let (calls, bytes) = match (self.group.read_random, self.group.read_skip) {
            (true, _) => self.read_anywhere(&file, size)?,
            (false, true) => self.read_with_skips(&file, size)?,
            (false, false) => {
                let start = self.go_anywhere(&file, size - wanted)?;
                (self.read_from(&file, start, wanted)?, wanted)
            }
        };
        set.files.give_back(claim);
        self.calls.close(file)?;
        Ok(Done::read(calls, bytes))
    }

    fn read_from(&mut self, file: &OwnedFd, start: u64, size: u64) -> Result<u64, Trouble> {
        let block = self.group.read_blocksize;
        read_blocks(&mut self.calls, file, start, size, &mut self.hands.buffer, block)
    }

    /// Whole blocks only; what is left of `read_size` is not read.
    fn read_anywhere(&mut self, file: &OwnedFd, size: u64) -> Result<(u64, u64), Trouble> {
        let block = self.group.read_blocksize;
        let calls = self.group.read_size / block;
        for _ in 0..calls {
            let offset = self.random_offset(size - block);
            self.calls.seek(file, offset)?;
            self.read_from(file, offset, block)?;
        }
        Ok((calls, calls * block))
    }

    /// From the file's start, `read_skipsize` bytes being left out after each block.
    fn read_with_skips(&mut self, file: &OwnedFd, size: u64) -> Result<(u64, u64), Trouble> {
        let (wanted, block) = (self.group.read_size, self.group.read_blocksize);
        let step = block.saturating_add(self.group.read_skipsize);
        let (calls, rest) = (wanted.div_ceil(block), wanted % block);
        let last = if rest == 0 { block } else { rest };
        let reach = calls.saturating_sub(1).saturating_mul(step).saturating_add(last);
        needs(size, if calls == 0 { 0 } else { reach }, "read_size with read_skipsize")?;
        for call in 0..calls {
            let length = if call + 1 == calls { last } else { block };
            if call > 0 && step > block {
                self.calls.seek(file, call * step)?;
            }
            self.read_from(file, call * step, length)?;
        }
        Ok((calls, wanted))
    }

    fn read_all(&mut self, set: &Set) -> Did {
        let claim = self.borrow(set)?;
        let (file, size) = self.open_sized(Access::Read)?;
        let calls = self.read_from(&file, 0, size)?;
        set.files.give_back(claim);
        self.calls.close(file)?;
        Ok(Done::read(calls, size))
    }

    fn write(&mut self, set: &Set, sync: bool) -> Did {
        let claim = self.borrow(set)?;
        let (file, size) = self.open_sized(Access::Write)?;
        let wanted = self.group.write_size;
        needs(size, wanted, "write_size")?;
        let (calls, bytes) = match self.group.write_random {
            true => self.write_anywhere(&file, size)?,
            false => {
                let start = self.go_anywhere(&file, size - wanted)?;
                (self.write_from(&file, start, wanted)?, wanted)
            }
        };
        self.sync(&file, sync)?;
        set.files.give_back(claim);
        self.calls.close(file)?;
        Ok(Done::written(calls, bytes))
    }

    fn write_from(&mut self, file: &OwnedFd, start: u64, size: u64) -> Result<u64, Trouble> {
        let block = self.group.write_blocksize;
        write_blocks(&mut self.calls, file, start, size, &self.hands.buffer, block)
    }

    /// Whole blocks only; what is left of `write_size` is not written.
    fn write_anywhere(&mut self, file: &OwnedFd, size: u64) -> Result<(u64, u64), Trouble> {
        let block = self.group.write_blocksize;
        let calls = self.group.write_size / block;
        for _ in 0..calls {
            let offset = self.random_offset(size - block);
            self.calls.seek(file, offset)?;
            self.write_from(file, offset, block)?;
        }
        Ok((calls, calls * block))
    }

    fn write_all(&mut self, set: &Set, sync: bool) -> Did {
        let claim = self.borrow(set)?;
        let (file, size) = self.open_sized(Access::Write)?;
        let calls = self.write_from(&file, 0, size)?;
        self.sync(&file, sync)?;
        set.files.give_back(claim);
        self.calls.close(file)?;
        Ok(Done::written(calls, size))
    }

    fn create(&mut self, set: &Set, sync: bool) -> Did {
        let size = set.sizes.pick(&mut self.hands.random);
        let claim = set.files.new_file(&mut self.hands.random);
        self.hands.name.set_file(&set.data, claim.place);
        self.calls.restart();
        let file = self.open(Access::Create)?;
        let calls = self.write_from(&file, 0, size)?;
        self.sync(&file, sync)?;
        self.calls.close(file)?;
        set.files.made(claim);
        Ok(Done::written(calls, size))
    }

    /// As in the original the file may be deleted while it is written: its name is free as soon as
    /// it is open.
    fn append(&mut self, set: &Set, sync: bool) -> Did {
        let claim = self.borrow(set)?;
        let file = self.open(Access::Append)?;
        set.files.give_back(claim);
        self.calls.restart();
        let size = self.group.write_size;
        let calls = self.write_from(&file, 0, size)?;
        self.sync(&file, sync)?;
        self.calls.close(file)?;
        Ok(Done::written(calls, size))
    }

    fn delete(&mut self, set: &Set) -> Did {
        let claim = set.files.take_out(&mut self.hands.random)?;
        self.hands.name.set_file(&set.data, claim.place);
        self.calls.restart();
        self.calls.unlink(self.hands.name.as_c_str())?;
        set.files.deleted(claim);
        Ok(Done::ONE)
    }

    fn create_folder(&mut self, set: &Set) -> Did {
        let folder = set.files.new_folder();
        self.hands.name.set_folder(&set.data, folder);
        self.calls.mkdir(self.hands.name.as_c_str())?;
        set.files.folder_made(folder);
        Ok(Done::ONE)
    }

    fn stat(&mut self, set: &Set) -> Did {
        let claim = self.borrow(set)?;
        self.calls.stat(self.hands.name.as_c_str())?;
        set.files.give_back(claim);
        Ok(Done::ONE)
    }

    fn open_close(&mut self, set: &Set) -> Did {
        let claim = self.borrow(set)?;
        let file = self.open(Access::Read)?;
        self.calls.close(file)?;
        set.files.give_back(claim);
        Ok(Done::ONE)
    }

    fn sync(&mut self, file: &OwnedFd, sync: bool) -> Result<(), Trouble> {
        match sync {
            true => self.calls.fsync(file),
            false => Ok(()),
        }
    }
}

/// The original gives up, too, where a file is too small for what is to be done in it.
fn needs(size: u64, needed: u64, setting: &'static str) -> Result<(), Trouble> {
    match size < needed {
        true => Err(Trouble::TooSmall { size, needed, setting }),
        false => Ok(()),
    }
}
