/** Codes of the system and of SQLite that a full or failing disk gives; the last are its shared memory and its journal. */
const FULL_OR_FAILING = /^(ENOSPC|EDQUOT|EIO|SQLITE_FULL|SQLITE_IOERR.*)$/;
const READ_ONLY = /^(EROFS|SQLITE_READONLY.*)$/;

/** What to do about a disk that refused, by its code; `undefined` where the code is of something else. */
export function diskTroubleHint(code: string): string | undefined {
  if (FULL_OR_FAILING.test(code)) {
    return "Its disk is full, or fails: `df -h` and `df -i` on the folder of --home (GOVDATA_HOME), then the system's log.";
  }
  if (READ_ONLY.test(code)) {
    return "Its disk or its files are read-only: look at the mount and the rights of the folder of --home (GOVDATA_HOME).";
  }
  return undefined;
}
