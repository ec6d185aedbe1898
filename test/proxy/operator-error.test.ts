import { describe, expect, it } from "vitest";
import { fileFailure, operatorFailure } from "../../proxy/operator-error.ts";

const failure = (code: string) => Object.assign(new Error("secret words of the system"), { code });

describe("fileFailure", () => {
  it.each([
    { why: "rights", code: "EACCES", says: "permission denied (EACCES)" },
    { why: "a full disk under SQLite", code: "SQLITE_FULL", says: "the disk is full (SQLITE_FULL)" },
    { why: "SQLite's longer codes", code: "SQLITE_IOERR_READ", says: "the disk failed (SQLITE_IOERR_READ)" },
    { why: "no descriptor left", code: "EMFILE", says: "too many files open (EMFILE)" },
  ])("tells in plain words: $why", ({ code, says }) => {
    const told = fileFailure(failure(code), "The file");
    expect(told).toMatchObject({ code: "HOME_UNUSABLE", message: expect.stringContaining(says) });
    expect(String(told)).not.toContain("secret");
  });

  it.each([
    { why: "an error of ours", error: operatorFailure("BAD_OPTION", "a", "b") },
    { why: "a defect", error: new TypeError("x is not a function") },
    { why: "a file that is not there is for its caller to judge", error: failure("ENOENT") },
    { why: "a code that is no text", error: Object.assign(new Error("x"), { code: 5 }) },
    { why: "a name that every object has", error: failure("constructor") },
    { why: "no error at all", error: "EACCES" },
  ])("leaves alone: $why", ({ error }) => {
    expect(fileFailure(error, "The file")).toBe(error);
  });
});
