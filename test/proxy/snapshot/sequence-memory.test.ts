import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSequenceMemory } from "../../../proxy/snapshot/sequence-memory.ts";
import { SEQUENCE_MAX } from "../../../snapshots/format/limits.ts";
import { Pointer } from "../../../snapshots/format/manifest.ts";
import { pointerTo } from "../support/fake-reader.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

describe("openSequenceMemory", () => {
  const home = () => mkdtempSync(join(folder, "home-"));

  it("remembers over a restart, in a file of its owner's", async () => {
    const directory = home();
    expect(openSequenceMemory(directory).highest()).toBe(0);
    await openSequenceMemory(directory).remember(41);
    const again = openSequenceMemory(directory);
    await again.remember(42);
    expect(again.highest()).toBe(42);
    expect(openSequenceMemory(directory).highest()).toBe(42);
    expect(readdirSync(directory)).toEqual(["highest-sequence"]);
    expect(statSync(join(directory, "highest-sequence")).mode & 0o777).toBe(0o600);
  });

  it.each(["", "0", "-1", "1.5", "4 2", "x", "99999999999999999999"])(
    "refuses a damaged file: %j",
    (text) => {
      const directory = home();
      writeFileSync(join(directory, "highest-sequence"), text);
      expect(() => openSequenceMemory(directory)).toThrow(
        expect.objectContaining({ code: "SNAPSHOT_INVALID" }),
      );
    },
  );

  it("keeps the old number when the new one cannot be written", async () => {
    const directory = home();
    const memory = openSequenceMemory(directory);
    await memory.remember(1);
    rmSync(directory, { recursive: true });
    const says = "highest-sequence in the proxy's home cannot be written (ENOENT)";
    await expect(memory.remember(2)).rejects.toThrow(says);
    expect(memory.highest()).toBe(1);
  });

  it.each([
    { why: "nothing was served", served: 0, sequenceMin: 40, want: 40 },
    { why: "less was served", served: 39, sequenceMin: 40, want: 40 },
    { why: "more was served", served: 41, sequenceMin: 40, want: 41 },
  ])("begins at the lowest sequence to accept where $why", async ({ served, sequenceMin, want }) => {
    const directory = home();
    if (served > 0) await openSequenceMemory(directory).remember(served);
    expect(openSequenceMemory(directory, { sequenceMin }).highest()).toBe(want);
  });

  it("remembers the last sequence, and refuses none, where it may go back", async () => {
    const directory = home();
    await openSequenceMemory(directory).remember(900);
    const memory = openSequenceMemory(directory, { sequenceMin: 4, mayGoBack: true });
    expect(memory.highest()).toBe(4);
    await memory.remember(5);
    expect([memory.highest(), openSequenceMemory(directory).highest()]).toEqual([4, 5]);
  });

  it("remembers the highest sequence that a pointer can have, and reads it again", async () => {
    const directory = home();
    expect(Pointer.safeParse({ ...pointerTo(1), sequence: SEQUENCE_MAX }).success).toBe(true);
    expect(Pointer.safeParse({ ...pointerTo(1), sequence: SEQUENCE_MAX + 1 }).success).toBe(false);
    await openSequenceMemory(directory).remember(SEQUENCE_MAX);
    expect(openSequenceMemory(directory).highest()).toBe(SEQUENCE_MAX);
  });
});
