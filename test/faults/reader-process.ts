import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";

// A reader in a process of its own, which verifies whole versions again and again until its input ends, and then says
// what it saw as one line of JSON.
const [root = ""] = process.argv.slice(2);

/** So many versions stay behind the current one, so a reader that is overtaken by as many has lost its version rightly. */
const KEPT_BEHIND = 2;

/** Leaves room for the publisher where there are two cores for both of them and the test. */
const PAUSE_MS = 40;

const tally = { reads: 0, sequences: new Set<number>(), torn: [] as string[], rolledBack: [] as string[] };
let highest = 0;
let isAsked = true;
process.stdin.resume().once("end", () => {
  isAsked = false;
});

async function readOnce(): Promise<void> {
  const before = readPointer(root).sequence;
  const { problems, sequence = 0 } = await verifySnapshot(root, { deep: tally.reads % 8 === 0 });
  const lines = problems.map(({ code, message }) => `${code} ${message}`);
  if (problems.length === 0) {
    try {
      const reader = await openSnapshot(root);
      if (reader.document("dgi", "current") === undefined) lines.push("a document is missing");
      reader.close();
    } catch (error) {
      lines.push(String(error));
    }
  }
  const isOvertaken = readPointer(root).sequence > before + KEPT_BEHIND;
  tally.reads += 1;
  if (lines.length > 0 && !isOvertaken) tally.torn.push(`at ${sequence}: ${lines.join("; ")}`);
  if (sequence !== 0 && sequence < highest) tally.rolledBack.push(`${sequence} after ${highest}`);
  highest = Math.max(highest, sequence);
  if (sequence !== 0) tally.sequences.add(sequence);
}

process.stdout.write("ready\n");
while (isAsked) {
  if (existsSync(join(root, "current.json"))) await readOnce();
  await sleep(PAUSE_MS);
}
process.stdout.write(`${JSON.stringify({ ...tally, sequences: tally.sequences.size })}\n`);
