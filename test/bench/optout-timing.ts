import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entityById } from "../../proxy/routes/entity-by-id.ts";
import { entityByWallet } from "../../proxy/routes/entity-by-wallet.ts";
import { createDelegateAnswers } from "../../proxy/snapshot/delegate-answers.ts";
import { createOptOutGuard } from "../../proxy/snapshot/opt-out-guard.ts";
import { followDenyList } from "../../snapshots/optouts/deny-list.ts";
import { createOptOuts, OPT_OUTS_MODES, openOptOutBook } from "../../snapshots/optouts/opt-out-book.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { publishedSet, publishFixture } from "../support/published-set.ts";

/**
 * Can a clock tell an opted-out entity from one that nobody ever heard of? Asks for both in turn, the order of each pair
 * by chance, through everything that looks at the id, and reports Welch's t: below about 4.5 nothing is to be seen.
 * The rest of a request (key, quota, socket) never sees the id.
 */
const PAIRS = Number(process.argv[2] ?? 100_000);
const ENTITIES = 1000;

const folder = mkdtempSync(join(tmpdir(), "govdata-optout-timing-"));
const hex = (index: number, digits: number) => index.toString(16).padStart(digits, "0");
// Multiplied by an odd number, ids and wallets lie all over the index.
const spread = (index: number) => (Math.imul(index + 1, 2654435761) >>> 0).toString(16).padStart(8, "0");
const idOf = (index: number) => `ent_${spread(index)}${hex(index, 18)}`;
const walletOf = (index: number) => `0x${spread(index)}${hex(index, 32)}`;

const set = publishedSet();
await publishFixture(join(folder, "published"), {
  set: {
    ...set,
    details: set.details.map((detail) => ({ ...detail, top_entities: [] })),
    entities: Array.from({ length: ENTITIES }, (_, index) => ({
      entity_id: idOf(index),
      label: `Bench Bakery ${index}`,
      wallets: [walletOf(index)],
      dao_participations: [],
    })),
  },
});
const optOuts = join(folder, "optouts.db");
createOptOuts({ path: optOuts, mode: OPT_OUTS_MODES.owner, randomBytes });
const book = openOptOutBook(optOuts);
for (let index = 0; index < ENTITIES; index += 2) book.add(idOf(index), 1);
book.close();

const reader = await openSnapshot(join(folder, "published"));
const followed = followDenyList({ path: optOuts, nowMs: () => Date.now(), onChange: () => {} });
const guard = createOptOutGuard(followed);
const delegates = createDelegateAnswers(1_000_000);

function ask(kind: "id" | "wallet", name: string): number {
  const endpoint = kind === "id" ? entityById : entityByWallet;
  const startedNs = process.hrtime.bigint();
  const answer = endpoint.answer({
    tier: "pro",
    pathId: name,
    query: new URLSearchParams(kind === "id" ? "" : `wallet=${name}`),
    snapshot: guard.shown(reader),
    delegates,
  });
  const tookNs = Number(process.hrtime.bigint() - startedNs);
  if (answer.kind !== "problem") throw new Error("an entity was found that must not be");
  return tookNs;
}

/** Welch's t of two samples, after the slowest tenth of both together (collections, other programs) is left out. */
function welch(one: readonly number[], other: readonly number[]) {
  const limit = [...one, ...other].sort((a, b) => a - b)[Math.floor(1.8 * one.length)] ?? Infinity;
  const of = (all: readonly number[]) => {
    const sample = all.filter((each) => each <= limit);
    const mean = sample.reduce((sum, each) => sum + each, 0) / sample.length;
    const variance = sample.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (sample.length - 1);
    return { mean, error: variance / sample.length };
  };
  const [a, b] = [of(one), of(other)];
  return { t: (a.mean - b.mean) / Math.sqrt(a.error + b.error), otherNs: a.mean, unknownNs: b.mean };
}

/** Times both of each pair; `other` gives the name that is asked for beside an unknown one. */
function compare(kind: "id" | "wallet", title: string, other: (pick: number) => string): void {
  const nameOf = kind === "id" ? idOf : walletOf;
  const [others, unknown]: [number[], number[]] = [[], []];
  for (let pair = -10_000; pair < PAIRS; pair += 1) {
    const pick = Math.floor(Math.random() * (ENTITIES / 2));
    // Unknown names are spread over the index as the opted-out ones are.
    const names = { other: other(pick), unknown: nameOf(ENTITIES + 2 * pick) };
    const isFirst = Math.random() < 0.5;
    const early = ask(kind, isFirst ? names.other : names.unknown);
    const late = ask(kind, isFirst ? names.unknown : names.other);
    if (pair < 0) continue;
    others.push(isFirst ? early : late);
    unknown.push(isFirst ? late : early);
  }
  const { t, otherNs, unknownNs } = welch(others, unknown);
  const figures = `${title} ${otherNs.toFixed(0)} ns  unknown ${unknownNs.toFixed(0)} ns  t ${t.toFixed(2)}`;
  process.stdout.write(`by ${kind.padEnd(6)} ${PAIRS} pairs  ${figures}\n`);
}

for (const kind of ["id", "wallet"] as const) {
  const nameOf = kind === "id" ? idOf : walletOf;
  compare(kind, "opted out", (pick) => nameOf(2 * pick));
  // What two kinds of unknown names differ by is what this bench cannot see below.
  compare(kind, "unknown too", (pick) => nameOf(10 * ENTITIES + 2 * pick));
}
followed.close();
reader.close();
rmSync(folder, { recursive: true, force: true });
