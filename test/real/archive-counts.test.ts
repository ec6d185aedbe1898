import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { VOTE_FLAGS } from "../../pipeline/facts/proposal-votes.ts";
import type { TrackedDao } from "../../pipeline/facts/tracked.ts";
import { loadRegistry } from "../../pipeline/registry/registry.ts";
import { createArchiveSource } from "../../pipeline/sources/archive/archive-source.ts";
import { type MemorySink, memorySink } from "../pipeline/sources/memory-sink.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";

const Count = z.int().default(0);
const Oracles = z.object({
  spaces: z.record(
    z.string(),
    z.object({
      proposals: Count,
      votes: Count,
      voters: Count,
      with_rows: Count,
      vp: Count,
      dup_rows: Count,
      before_start: Count,
      after_end: Count,
      out_of_range: Count,
      choice_all_zero: Count,
    }),
  ),
  dcl_days: z.array(z.string()),
  dcl: z.record(z.string(), z.object({ delegates: z.int(), delegators: z.int() }).partial()),
  nouns: z.object({
    lines: z.int(),
    distinct_logs: z.int(),
    kinds: z.object({ V: z.int(), T: z.int(), C: z.int() }),
  }),
  registry: z.object({ daos: z.int(), entities: z.int() }),
});

/** A negative weight in a vote of cvx.eth, which the oracles do not count. */
const NEGATIVE_WEIGHTS: Readonly<Record<string, number>> = { "cvx.eth": 1 };

const directory = realArchive();

describe.skipIf(directory === undefined)(
  `the real archive${directory === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    const root = directory ?? "";
    let oracles: z.infer<typeof Oracles>;
    const sinks = new Map<string, MemorySink>();
    const voters = new Map<string, number>();

    beforeAll(async () => {
      oracles = Oracles.parse(JSON.parse(readFileSync(join(root, "oracles.json"), "utf8")));
      const registry = loadRegistry(join(root, "registry.yaml"));
      const source = createArchiveSource({ directory: root });
      for (const file of readdirSync(join(root, "spaces"))) {
        const spaceId = file.replace(/\.json$/, "");
        const sink = memorySink(voters);
        await source.fetchSpace(daoOf(spaceId, registry.daos), sink);
        sinks.set(spaceId, sink);
      }
    });

    it("has every space of the oracles", () => {
      expect([...sinks.keys()].sort()).toEqual([...Object.keys(oracles.spaces), "nouns.eth"].sort());
    });

    it("gives the oracles' counts for every space", () => {
      const counted = Object.fromEntries(
        [...sinks].map(([spaceId, sink]) => [spaceId, countsOf(sink, spaceId)]),
      );
      const { "nouns.eth": nouns, ...others } = counted;
      const wanted = Object.fromEntries(
        Object.entries(oracles.spaces).map(([spaceId, { before_start, after_end, ...space }]) => [
          spaceId,
          { ...space, outside: before_start + after_end },
        ]),
      );
      expect(others).toEqual(wanted);
      expect(nouns).toMatchObject({ proposals: 0, votes: 0 });
      expect(voters.size).toBe(113_081);
    });

    it("refuses one row for good and names it", () => {
      const refused = [...sinks.values()].flatMap((sink) =>
        sink.rejections.filter(
          ({ code }) =>
            !["DUPLICATE_VOTE", "VOTE_OUTSIDE_WINDOW", "CHOICE_UNREADABLE", "LOG_DUPLICATE"].includes(code),
        ),
      );
      expect(refused).toMatchObject([{ file: "proposals/0xdollar.ndjson", code: "TIME_IMPOSSIBLE" }]);
    });

    it("names the four repeated rows of Aave's proposal 6", () => {
      const sink = sinks.get("aave-governance-v3");
      const lines = readFileSync(join(root, "votes", "aave-governance-v3.ndjson"), "utf8").split("\n");
      const repeated = sink?.rejections.filter(({ code }) => code === "DUPLICATE_VOTE") ?? [];
      expect(repeated.map(({ line }) => JSON.parse(lines[(line ?? 0) - 1] ?? "").proposal)).toEqual([
        "6",
        "6",
        "6",
        "6",
      ]);
    });

    it("drops nine repeated Nouns logs and decodes the rest", () => {
      const { events = [], rejections = [] } = sinks.get("nouns.eth") ?? {};
      const countOf = (kind: string) => events.filter((event) => event.kind === kind).length;
      expect(events).toHaveLength(oracles.nouns.distinct_logs);
      expect({ T: countOf("transfer"), C: countOf("delegate-changed"), V: countOf("votes-changed") }).toEqual(
        oracles.nouns.kinds,
      );
      expect(rejections.map(({ code }) => code)).toEqual(
        Array(oracles.nouns.lines - oracles.nouns.distinct_logs).fill("LOG_DUPLICATE"),
      );
    });

    it("gives Decentraland's delegates by day", () => {
      const lists = sinks.get("snapshot.dcl.eth")?.lists ?? [];
      expect(lists.map(({ date }) => date)).toEqual(oracles.dcl_days);
      for (const { date, delegates, isComplete } of lists) {
        const delegators = delegates.reduce((sum, { delegatorsCount }) => sum + delegatorsCount, 0);
        expect({ date, isComplete, delegates: delegates.length, delegators }).toEqual({
          date,
          isComplete: true,
          delegates: oracles.dcl[date]?.delegates,
          delegators: oracles.dcl[date]?.delegators,
        });
      }
    });

    it("has a registry that counts Nouns too", () => {
      const { daos, entities } = loadRegistry(join(root, "registry.yaml"));
      expect([daos.length, entities.length]).toEqual([oracles.registry.daos + 1, oracles.registry.entities]);
    });
  },
);

function daoOf(spaceId: string, daos: readonly TrackedDao[]): TrackedDao {
  const tracked = daos.find((dao) => dao.spaceId === spaceId);
  return tracked ?? { spaceId, name: spaceId, category: "social", governor: undefined };
}

function countsOf(sink: MemorySink, spaceId: string) {
  const rejected = (code: string, part = "") =>
    sink.rejections.filter((row) => row.code === code && row.message.includes(part)).length;
  const flagged = (flag: number) =>
    sink.ballots.reduce(
      (sum, { flags }) => sum + flags.reduce((count, item) => count + ((item & flag) === 0 ? 0 : 1), 0),
      0,
    );
  const duplicates = rejected("DUPLICATE_VOTE");
  expect(flagged(VOTE_FLAGS.outsideWindow)).toBe(rejected("VOTE_OUTSIDE_WINDOW"));
  expect(flagged(VOTE_FLAGS.choiceUnreadable)).toBe(rejected("CHOICE_UNREADABLE"));
  const range = rejected("CHOICE_UNREADABLE", "option that the proposal does not have");
  const zero = rejected("CHOICE_UNREADABLE", "all of its weights are 0");
  expect(rejected("CHOICE_UNREADABLE") - range - zero).toBe(NEGATIVE_WEIGHTS[spaceId] ?? 0);
  return {
    proposals: sink.proposals.length + rejected("TIME_IMPOSSIBLE"),
    votes: sink.ballots.reduce((sum, { count }) => sum + count, 0) + duplicates,
    voters: new Set(sink.ballots.flatMap(({ voterIds }) => [...voterIds])).size,
    with_rows: sink.ballots.length,
    // A repeated row of Aave is one whose power was known, as of all its rows; aave.eth has none.
    vp: flagged(VOTE_FLAGS.powerKnown) + (spaceId === "aave-governance-v3" ? duplicates : 0),
    dup_rows: duplicates,
    outside: rejected("VOTE_OUTSIDE_WINDOW"),
    out_of_range: range,
    choice_all_zero: zero,
  };
}
