import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEffects, Settings } from "../../pipeline/home/settings.ts";
import type { PublishOptions, PublishResult } from "../../pipeline/stages/publish.ts";
import { runAll, runPublish } from "../../pipeline/stages/run.ts";
import { runPartitionedExport } from "../../pipeline/tools/export/partitioned/export-partitioned.ts";
import { runRecompute } from "../../pipeline/tools/recompute/run-recompute.ts";
import { showEnvelope } from "../../pipeline/tools/show/show.ts";
import { DaoHistory } from "../../snapshots/format/dao.ts";
import { dayEndMs } from "../../snapshots/format/ids.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { falseWords } from "../support/false-words.ts";
import type { PartitionedExport } from "../support/partitioned-export.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { runGovdata } from "../support/run-in-process.ts";
import { describeSql } from "./describe-sql.ts";

interface CompoundMove {
  readonly spaceId: string;
  readonly gvs: { readonly before: number; readonly after: number };
  readonly presence?: { readonly gvsPoints: number };
}

/** What came out when this was written, in the order in which it is published: rank by rank. */
const DAYS = [
  {
    // Most votes to the second.
    day: "2021-11-20",
    numbersMin: 40_000,
    scored: [{ space: "snapshot.dcl.eth", gvs: 3.92, hpr: 3.49, dei: 2.08, pdi: 5.43, gpi: 7.72, risk: 75 }],
  },
  {
    // Voters that vote alike, days alone for times, and delegates.
    day: "2026-04-28",
    numbersMin: 32_000,
    scored: [
      { space: "arbitrumfoundation.eth", gvs: 5.14, hpr: 5.32, dei: 5.34, pdi: 4.37, gpi: 5.38, risk: 47.6 },
      { space: "aave-governance-v3", gvs: 4.67, hpr: 6.75, dei: 2.77, pdi: 4.53, gpi: 5.71, risk: 62.8 },
      { space: "lido-snapshot.eth", gvs: 4.45, hpr: 4.44, dei: 4.33, pdi: 4.07, gpi: 5.06, risk: 56.1 },
    ],
  },
] as const;
const [, LATEST] = DAYS;
const AAVE = "aave-governance-v3";

/** DAOs that are not scored: why, and between which ends their gvs lies. */
const UNSCORED = [
  {
    day: "2021-11-20",
    space: "sushigov.eth",
    why: "power unknown",
    code: "TOO_LITTLE_KNOWN",
    gvs: [0.58, 9.53],
  },
  {
    day: "2026-04-28",
    space: "snapshot.dcl.eth",
    why: "ballots end in 2022",
    code: "TOO_LITTLE_KNOWN",
    gvs: [0.16, 9.93],
  },
  { day: "2026-04-28", space: "nouns.eth", why: "a token alone", code: "NO_PROPOSALS", gvs: [0, 10] },
] as const;

const archive = realArchive();
const packageDirectory = join(import.meta.dirname, "../..");

function settingsIn(folder: string): Settings {
  return {
    homeDirectory: join(folder, "home"),
    snapshotsDirectory: join(folder, "published"),
    registryPath: join(archive ?? "", "registry.yaml"),
    packageDirectory,
  };
}

/** Wall time moves on by a minute with every version. */
function effectsAt(version: number): RunEffects {
  const nowMs = Date.parse("2026-11-21T06:00:00.000Z") + version * 60_000;
  return {
    nowMs: () => nowMs,
    runId: version.toString(16).padStart(16, "0"),
    progress: { step: () => undefined, tick: () => undefined, warn: () => undefined },
  };
}

const optionsFor = (day: string): PublishOptions => ({ asOfMs: dayEndMs(day), overrides: [] });
const fetchAll = { sources: ["archive"], from: archive ?? "", spaceIds: [] } as const;

describe.skipIf(archive === undefined)(
  `the whole way on real data (${archive ? "archive found" : WITHOUT_REAL_DATA})`,
  () => {
    let root: string;
    let settings: Settings;
    const published = new Map<string, PublishResult>();

    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "govdata-real-"));
      settings = settingsIn(join(root, "kept"));
      for (const [version, { day }] of DAYS.entries()) {
        const effects = effectsAt(version);
        const options = optionsFor(day);
        // The second day shows that publishing needs nothing but the warehouse.
        const isFetching = version === 0;
        const result = isFetching
          ? (await runAll(settings, { fetch: fetchAll, publish: options }, effects)).published
          : await runPublish(settings, options, effects);
        published.set(day, result);
      }
    });
    afterAll(() => rmSync(root, { recursive: true, force: true }));

    it.each(DAYS)("scores what is known well enough as of $day, and nobody else", ({ day, scored }) => {
      const { daos } = readPublishedDocuments(settings.snapshotsDirectory, published.get(day)?.version);
      expect(daos.map((dao) => ({ space: dao.space_id, gvs: dao.gvs, ...dao.components }))).toEqual(
        scored.map(({ risk: _, ...dao }) => dao),
      );
    });

    it.each(LATEST.scored)("publishes the risk of $space", async ({ space, risk }) => {
      const { risk_score } = (await showEnvelope(settings, "risk", space)).data;
      expect(risk_score).toBe(risk);
    });

    it.each(UNSCORED)("leaves $space unscored as of $day: $why", ({ day, space, code, gvs }) => {
      const { unscored } = readPublishedDocuments(settings.snapshotsDirectory, published.get(day)?.version);
      const dao = unscored().find((candidate) => candidate.space_id === space);
      expect([dao?.reason.code, dao?.interval.gvs]).toEqual([code, gvs]);
    });

    it.each(DAYS)("accounts for all 34 DAOs as of $day", ({ day, scored }) => {
      const { daosScored, daosUnscored, daosFailed } = published.get(day) ?? {};
      expect([daosScored, daosUnscored, daosFailed]).toEqual([scored.length, 34 - scored.length, []]);
    });

    it("publishes versions that verify to the last byte of the index", async () => {
      for (const { version } of published.values()) {
        const { problems } = await verifySnapshot(settings.snapshotsDirectory, { version, deep: true });
        expect(problems).toEqual([]);
      }
    });

    it("publishes versions whose every score follows from their evidence", async () => {
      for (const { version } of published.values()) {
        const { differences, problems, numbers, daos } = await runRecompute(settings, version);
        expect({ differences, problems, daos }).toEqual({ differences: [], problems: [], daos: 34 });
        expect(numbers).toBeGreaterThan(100_000);
      }
    });

    it("says nothing of a DAO that its data do not show", async () => {
      const { homeDirectory: home, snapshotsDirectory: snapshots, registryPath: registry = "" } = settings;
      const places = ["--home", home, "--snapshots", snapshots, "--registry", registry];
      const { nowMs } = effectsAt(9);
      const { faults, read } = await falseWords(snapshots, (...args) =>
        runGovdata([...places, ...args], { nowMs }),
      );
      expect(faults).toEqual([]);
      expect(read).toBeGreaterThan(1_000);
    });

    it("blames presence for what Compound lost while it did not vote", async () => {
      const { homeDirectory: home, snapshotsDirectory: snapshots, registryPath: registry = "" } = settings;
      const places = ["--home", home, "--snapshots", snapshots, "--registry", registry];
      const presencePart = async (from: string, to: string): Promise<number> => {
        const days = ["--from", from, "--to", to];
        const { code, stdout, stderr } = await runGovdata([...places, "diff", ...days, "--json"]);
        expect(code, stderr).toBe(0);
        const { daos } = JSON.parse(stdout) as { readonly daos: readonly CompoundMove[] };
        const moved = daos.find(({ spaceId }) => spaceId === "comp-vote.eth");
        if (moved?.presence === undefined) throw new Error(`${from}: presence has no part`);
        return moved.presence.gvsPoints / (moved.gvs.after - moved.gvs.before);
      };
      expect(await presencePart("2025-11-20", "2025-11-24")).toBeGreaterThan(0.9);
      expect(await presencePart("2026-04-08", "2026-04-12")).toBeGreaterThan(0.9);
    });

    it("reports the Aave ballots that miss the contract's tally, and the four rows that came twice", () => {
      const { run } = readPublishedDocuments(settings.snapshotsDirectory);
      const ofAave = (item: { readonly space_id: string | null }): boolean => item.space_id === AAVE;
      const finding = run.findings.find((item) => ofAave(item) && item.code === "POWER_NOT_RECONCILED");
      expect(finding?.message).toBe(
        "4 of 456 ballots do not add up to the declared power: 53, 134, 165, 237",
      );
      expect(run.fetches.find(ofAave)?.rejected).toEqual({ DUPLICATE_VOTE: 4 });
    });

    it("lists the Nouns delegates of the whole log, without a dated file", async () => {
      const { manifest } = readPublishedDocuments(settings.snapshotsDirectory);
      const paths = manifest.files
        .map((file) => file.path)
        .filter((path) => path.startsWith("delegates/nouns.eth/"));
      expect(paths).toEqual(["delegates/nouns.eth/all.csv", "delegates/nouns.eth/latest.json"]);
    });

    it("gives the same bytes of a DAO from stores that are all fresh", async () => {
      const fresh = settingsIn(join(root, "fresh"));
      const { day, scored } = LATEST;
      // Ranks are among those that are scored; nothing else of a DAO hangs on the others.
      const fetchScored = { ...fetchAll, spaceIds: scored.map(({ space }) => space) };
      await runAll(fresh, { fetch: fetchScored, publish: optionsFor(day) }, effectsAt(9));
      // Days that were published once stay published: a home that ran before remembers more of the past.
      const ofTheSpace = (path: string) => path.includes(AAVE) && !path.startsWith("history/");
      const hashes = (home: Settings): string[] =>
        readPublishedDocuments(home.snapshotsDirectory)
          .manifest.files.filter(({ path }) => ofTheSpace(path))
          .map((file) => `${file.sha256} ${file.path}`);
      expect(hashes(fresh).length).toBeGreaterThan(3);
      expect(hashes(fresh)).toEqual(hashes(settings));
      const pointsOf = (home: Settings) => {
        const { version } = readPointer(home.snapshotsDirectory);
        const path = join(home.snapshotsDirectory, version, "history", `${AAVE}.json`);
        return DaoHistory.parse(JSON.parse(readFileSync(path, "utf8"))).points;
      };
      const [now, before] = [pointsOf(fresh), pointsOf(settings)];
      expect(now.length).toBeGreaterThan(300);
      expect(before.slice(-now.length), "and the days that both know are the same").toEqual(now);
    });

    describe("the measures in SQL", () => {
      const exports = new Map<string, PartitionedExport>();

      beforeAll(async () => {
        for (const [day, { version }] of published) {
          const { runId, progress } = effectsAt(0);
          const output = { path: join(root, `export-${day}`), isForced: false, runId };
          await runPartitionedExport(settings, { version }, output, { progress });
          exports.set(day, { directory: output.path, version: join(settings.snapshotsDirectory, version) });
        }
      });

      describeSql(DAYS, (day) => exports.get(day) as PartitionedExport);
    });
  },
);
