import { expect, test } from "vitest";
import { diskTroubleHint } from "../../../pipeline/home/atomic-write.ts";

test.each([
  { why: "no room", code: "ENOSPC", says: "is full" },
  { why: "no room for this user", code: "EDQUOT", says: "is full" },
  { why: "SQLite's word for no room", code: "SQLITE_FULL", says: "is full" },
  { why: "no room for the memory that its readers share", code: "SQLITE_IOERR_SHMSIZE", says: "is full" },
  { why: "a disk that fails", code: "EIO", says: "or failing" },
  { why: "a disk that is mounted read-only", code: "EROFS", says: "read-only" },
  { why: "the same, to SQLite", code: "SQLITE_READONLY_DIRECTORY", says: "read-only" },
])("$why ($code) is told as what it is", ({ code, says }) => {
  expect(diskTroubleHint(code)).toContain(says);
});

test.each([
  { why: "a right that is missing", code: "EACCES" },
  { why: "nothing there", code: "ENOENT" },
  { why: "another's lock", code: "SQLITE_BUSY" },
  { why: "a damaged file", code: "SQLITE_CORRUPT" },
  { why: "a code that begins like one", code: "ENOSPCX" },
])("$why ($code) is no trouble of the disk", ({ code }) => {
  expect(diskTroubleHint(code)).toBeUndefined();
});
