import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../../../faults/seeded-random.ts";

const DAY_S = 86_400;
/** DAOs that vote in every odd way, and those of which little or nothing is known. */
const SHAPES = [
  "busy",
  "busy",
  "busy",
  "busy",
  "busy",
  "days",
  "powerless",
  "lonely",
  "empty",
  "flagged",
] as const;
type Shape = (typeof SHAPES)[number];

/** What a URL reader must tell from what only looks like one. */
const DISCUSSIONS = [
  ...["", " https://a.example ", "http://a b.example"],
  ..."https://forum.example/t/1 HTTP:forum.example https:// mailto:a@b.example forum.example".split(" "),
  ..."https://u:p@[2001:db8::1]:443/x http://1.2.3.256/ https:///three.example?q".split(" "),
  ..."http://x.example:65536/ http://%41.example/ http://a%zz.example".split(" "),
];

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;
const address = (n: number): string => `0x${(n + 1).toString(16).padStart(40, "0")}`;
const dayOf = (atS: number): string => new Date(atS * 1000).toISOString().slice(0, 10);
const ndjson = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

function choiceOf(random: Random, type: string | undefined): unknown {
  const option = 1 + Math.floor(random() * 3);
  if (random() < 0.02) return random() < 0.5 ? 9 : "0xsealed";
  if (type === "approval" || type === "ranked-choice") return option === 1 ? [1] : [option, 1];
  if (type === "weighted" || type === "quadratic")
    return { 1: 1, [String(1 + option)]: random() < 0.2 ? 0 : 2.5 };
  return option;
}

function votesOn(
  random: Random,
  shape: Shape,
  proposal: Record<string, unknown>,
  span: readonly [number, number],
): unknown[] {
  const [startS, endS] = span;
  const count = shape === "lonely" ? 1 : Math.floor(random() ** 2 * 32);
  const type = proposal["type"] as string | undefined;
  const powers = [100, 100, 250, 1000, 0, 1e-9, 3e-4, 5000];
  // Voters 0 to 5 come in pairs, and the odd one votes when and as the even one did, the last of them often.
  const voters = Array.from({ length: 30 }, (_, n) => n).filter((n) => n < 7 || random() < count / 30);
  const isOthers = JSON.stringify(proposal["strategies"]).includes("three");
  let last: { created: number; choice: unknown } | undefined;
  return (count === 0 ? [] : shape === "lonely" ? [0] : voters).map((voter) => {
    const anywhere = Math.floor(startS + random() * (endS - startS) * (random() < 0.05 ? 1.2 : 1));
    // Two voters vote on all that is open in one sitting every other day.
    const sittingS = Math.ceil(startS / (2 * DAY_S)) * 2 * DAY_S + Math.floor(random() * 80);
    const isBatcher = voter === 6 || voter === 10;
    const created = isBatcher && sittingS <= endS ? sittingS : anywhere;
    const isCopying = voter < 6 && voter % 2 === 1 && (voter < 5 || random() < 0.7);
    const cast =
      isCopying && last !== undefined
        ? { ...last, created: last.created + pick(random, [7, 7, 45]) }
        : { created, choice: choiceOf(random, type) };
    last = cast;
    // Where votes are basic, the second voter of a pair often abstains in place of following.
    const choice = isCopying && type === "basic" && random() < 0.5 ? 3 : cast.choice;
    const power = pick(random, powers) * (random() < 0.5 ? 1 : random() * 3);
    return {
      proposal: proposal["id"],
      voter: address(isOthers && voter % 10 > 0 ? voter + 40 : voter),
      choice,
      vp: shape === "powerless" || random() < 0.001 ? null : power,
      vp_state: random() < 0.9 ? "final" : "pending",
      ...(random() < 0.99 ? { reason: random() < 0.3 ? "so" : "" } : {}),
      ...(shape === "days" || random() < 0.02
        ? { created: null, created_date: dayOf(cast.created) }
        : { created: cast.created }),
    };
  });
}

function timesOf(random: Random, shape: Shape, span: readonly [number, number]): Record<string, unknown> {
  const [startS, endS] = span;
  const created = random() < 0.9 ? { created: startS - Math.floor(random() * 4 * DAY_S) } : {};
  if (shape !== "days") return { start: startS, end: endS, ...created };
  return { start: null, start_date: dayOf(startS), end: null, end_date: dayOf(endS) };
}

function proposalOf(
  random: Random,
  shape: Shape,
  id: string,
  span: readonly [number, number],
  { isOthers, isBasic }: { readonly isOthers: boolean; readonly isBasic: boolean },
): Record<string, unknown> {
  const type = isBasic
    ? "basic"
    : pick(random, [
        "basic",
        "single-choice",
        "weighted",
        "quadratic",
        "approval",
        "ranked-choice",
        undefined,
        "novel",
      ]);
  return {
    id,
    title: id,
    ...(random() < 0.9 ? { author: address(Math.floor(random() * 12)) } : {}),
    ...timesOf(random, shape, span),
    ...(type === undefined ? {} : { type }),
    choices: ["a", "b", "c", "d"],
    ...(random() < 0.9 ? { discussion: pick(random, DISCUSSIONS) } : {}),
    quorum: pick(random, [null, 0, 1, 400, 1e6]),
    quorumType: random() < 0.1 ? "rejection" : "default",
    state: random() < 0.95 ? "closed" : pick(random, ["active", "canceled"]),
    ...(random() < 0.9 ? { scores_state: random() < 0.95 ? "final" : "pending" } : {}),
    strategies: [{ name: isOthers && random() < 0.5 ? "three" : random() < 0.85 ? "one" : "two" }],
    privacy: random() < 0.1 ? "shutter" : "",
    flagged: random() < 0.03,
  };
}

/** A DAO of one shape, its proposals in the two years before `endS`, most of them in its last days. */
function writeDao(directory: string, random: Random, spaceId: string, shape: Shape, endS: number): void {
  const proposals: Record<string, unknown>[] = [];
  const votes: unknown[] = [];
  // Two have new strategies of late, under which mostly others vote.
  const isOthers = /^busy-[13]/.test(spaceId);
  // The first has enough for voters to be alike, and those two for new strategies to be told from old ones, whatever the seed.
  const count = shape === "empty" ? 0 : (/^busy-[013]/.test(spaceId) ? 40 : 12) + Math.floor(random() * 20);
  for (let n = 0; n < count; n += 1) {
    const proposalEndS = Math.floor(endS + DAY_S - random() ** 2 * (random() < 0.2 ? 800 : 210) * DAY_S);
    const span = [proposalEndS - pick(random, [1, 3, 5, 8]) * DAY_S, proposalEndS] as const;
    const proposal = proposalOf(random, shape, `0x${spaceId}${n}`, span, {
      isOthers: isOthers && proposalEndS > endS - 50 * DAY_S,
      isBasic: /^busy-2/.test(spaceId),
    });
    const cast = random() < 0.1 ? [] : votesOn(random, shape, proposal, span);
    const total = cast.reduce<number>((sum, vote) => sum + ((vote as { vp: number | null }).vp ?? 0), 0);
    if (random() < 0.6) proposal["votes"] = cast.length === 0 && random() < 0.5 ? 7 : cast.length;
    if (random() < 0.5 && shape !== "powerless")
      proposal["scores_total"] = total * pick(random, [1, 1, 0.995, 1.3]);
    proposals.push(proposal);
    votes.push(...cast);
  }
  const voting = {
    period: pick(random, [null, 86_400]),
    quorum: pick(random, [null, 0, 300]),
    quorumType: "default",
  };
  const space = {
    ...{ id: spaceId, name: spaceId, admins: [address(1)], moderators: random() < 0.5 ? [address(2)] : [] },
    ...{ filters: { onlyMembers: random() < 0.5 }, voting: random() < 0.8 ? voting : null },
    flagged: shape === "flagged" ? true : pick(random, [false, null]),
  };
  writeFileSync(join(directory, "spaces", `${spaceId}.json`), JSON.stringify(space));
  writeFileSync(join(directory, "proposals", `${spaceId}.ndjson`), ndjson(proposals));
  writeFileSync(join(directory, "votes", `${spaceId}.ndjson`), ndjson(votes));
}

/** Writes a small archive of DAOs that are odd in every way that the facts can be, with two entities of three wallets. */
export function writeOddArchive(directory: string, seed: number, endDay: string): void {
  for (const folder of ["spaces", "proposals", "votes"])
    mkdirSync(join(directory, folder), { recursive: true });
  const random = seededRandom(seed);
  const endS = Date.parse(`${endDay}T23:59:59.000Z`) / 1000;
  const daos = SHAPES.map((shape, n) => ({ spaceId: `${shape}-${n}.example`, shape }));
  for (const { spaceId, shape } of daos) writeDao(directory, random, spaceId, shape, endS);
  const entity = (id: string, label: string, wallets: readonly number[]): string =>
    `  - entity_id: "ent_${id.repeat(26)}"\n    label: "${label}"\n    wallets:\n${wallets.map((n) => `      - "${address(n)}"\n`).join("")}    publicApiOptOut: false\n`;
  const listed = daos.map(
    ({ spaceId }) => `  - space_id: "${spaceId}"\n    name: "${spaceId}"\n    category: defi\n`,
  );
  const entities = entity("a", "Lantern Labs", [7, 8]) + entity("b", "Harbour Guild", [3]);
  writeFileSync(join(directory, "registry.yaml"), `daos:\n${listed.join("")}entities:\n${entities}`);
}
