import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import {
  fileProblem,
  readCapped,
  readVerified,
  readVerifiedLine,
} from "../../../../snapshots/store/read/verified-file.ts";
import { makePipe, temporaryRoot } from "../temporary-root.ts";

const BYTES = Buffer.from("the bytes of a file\n".repeat(5000));
const EXPECTED = { path: "file", bytes: BYTES.length, sha256: sha256Hex(BYTES) };

/** A folder that `make` puts something called `file` into. */
function folder(make: (path: string) => void): string {
  const root = temporaryRoot();
  mkdirSync(root);
  make(join(root, "file"));
  return root;
}

describe("a file, verified", () => {
  const bad = [
    {
      why: "one byte more",
      make: (path: string) => writeFileSync(path, Buffer.concat([BYTES, BYTES.subarray(0, 1)])),
      code: "FILE_WRONG_SIZE",
      says: /has 100001 bytes/,
    },
    {
      why: "empty",
      make: (path: string) => writeFileSync(path, ""),
      code: "FILE_WRONG_SIZE",
      says: /has 0 bytes/,
    },
    {
      why: "one bit else",
      make: (path: string) => writeFileSync(path, Buffer.from(BYTES).fill("T", 0, 1)),
      code: "FILE_WRONG_HASH",
      says: /SHA-256/,
    },
    {
      why: "a link to the right bytes",
      make: (path: string) => {
        writeFileSync(`${path}-real`, BYTES);
        symlinkSync(`${path}-real`, path);
      },
      code: "FILE_UNREADABLE",
      says: /is a link/,
    },
    {
      why: "a pipe nobody writes to",
      make: (path: string) => makePipe(path),
      code: "FILE_UNREADABLE",
      says: /not a regular file/,
    },
    {
      why: "an endless device",
      make: (path: string) => symlinkSync("/dev/zero", path),
      code: "FILE_UNREADABLE",
      says: /is a link/,
    },
  ];

  it.each(bad)("is refused: $why", async ({ make, code, says }) => {
    const directory = folder(make);
    expect(await fileProblem(directory, EXPECTED)).toMatchObject({ path: "file", code });
    expect(() => readVerified(directory, EXPECTED)).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_INVALID", path: "file" }) as Error,
    );
    expect((await fileProblem(directory, EXPECTED))?.message).toMatch(says);
  });

  it("is taken when size and hash are right", async () => {
    const directory = folder((path) => writeFileSync(path, BYTES));
    expect(await fileProblem(directory, EXPECTED)).toBeUndefined();
    expect(readVerified(directory, EXPECTED).equals(BYTES)).toBe(true);
  });

  it("may be empty", async () => {
    const directory = folder((path) => writeFileSync(path, ""));
    const expected = { path: "file", bytes: 0, sha256: sha256Hex("") };
    expect(await fileProblem(directory, expected)).toBeUndefined();
    expect(readVerified(directory, expected)).toHaveLength(0);
  });

  it.each([
    { why: "at the cap", cap: BYTES.length, ok: true },
    { why: "below the cap", cap: BYTES.length + 1, ok: true },
    { why: "above the cap", cap: BYTES.length - 1, ok: false },
  ])("$why", ({ cap, ok }) => {
    const directory = folder((path) => writeFileSync(path, BYTES));
    const read = () => readCapped(directory, "file", cap);
    if (ok) expect(read()).toHaveLength(BYTES.length);
    else expect(read).toThrow(/more than the 99999 allowed/);
  });

  it("keeps what the system said as its cause, for whoever must tell a full process from a bad file", () => {
    const directory = folder((path) => symlinkSync("elsewhere", path));
    expect(() => readCapped(directory, "file", 10)).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ code: "ELOOP" }) }),
    );
  });

  it("is missing under the code its caller chose", () => {
    const read = () =>
      readCapped(
        folder(() => {}),
        "file",
        10,
        "SNAPSHOT_MISSING",
      );
    expect(read).toThrow(expect.objectContaining({ code: "SNAPSHOT_MISSING" }) as Error);
  });
});

describe("a line of a file", () => {
  const line = "the bytes of a file\n";
  const last = { offset: BYTES.length - line.length, bytes: line.length, sha256: sha256Hex(line) };
  it.each([
    { why: "the last", change: {}, says: undefined },
    { why: "a byte further on", change: { offset: last.offset + 1 }, says: "file: ends before the line" },
    { why: "a byte longer", change: { bytes: last.bytes + 1 }, says: "file: ends before the line" },
    { why: "longer than memory", change: { bytes: Number.MAX_SAFE_INTEGER }, says: "ends before the line" },
    { why: "a byte further back", change: { offset: last.offset - 1 }, says: "have the SHA-256 expected" },
  ])("is taken or refused: $why", ({ change, says }) => {
    const directory = folder((path) => writeFileSync(path, BYTES));
    const read = () => readVerifiedLine(directory, "file", { ...last, ...change }).toString();
    if (says === undefined) expect(read()).toBe(line);
    else expect(read).toThrow(says);
  });
});
