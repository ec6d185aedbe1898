import { expect, it } from "vitest";
import { isBusy } from "../../../../proxy/quota/sqlite/open-quota-database.ts";

it.each([
  { why: "another program writes", error: { code: "SQLITE_BUSY" }, busy: true },
  { why: "another program puts a log in order", error: { code: "SQLITE_BUSY_RECOVERY" }, busy: true },
  { why: "a picture that is too old to write on", error: { code: "SQLITE_BUSY_SNAPSHOT" }, busy: true },
  { why: "a table of this very handle", error: { code: "SQLITE_LOCKED" }, busy: false },
  { why: "a full disk", error: { code: "SQLITE_FULL" }, busy: false },
  { why: "the word elsewhere", error: { code: "NO_SQLITE_BUSY" }, busy: false },
  { why: "a device, as the system says it", error: { code: "EBUSY" }, busy: false },
  { why: "a code that is a number", error: { code: 5 }, busy: false },
  { why: "no code", error: new Error("SQLITE_BUSY"), busy: false },
  { why: "a word", error: "SQLITE_BUSY", busy: false },
  { why: "nothing", error: undefined, busy: false },
  { why: "null", error: null, busy: false },
])("isBusy: $why", ({ error, busy }) => {
  expect(isBusy(error)).toBe(busy);
});
