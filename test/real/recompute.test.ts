import { describe, expect, test } from "vitest";
import { buildAllEvidence } from "../../pipeline/documents/evidence-documents.ts";
import { recomputeAllScores } from "../../pipeline/readers/recompute/derive-daos.ts";
import { dailyPointOf } from "../../pipeline/score/daily-point.ts";
import { createDaoScorer } from "../../pipeline/score/dao-scorer.ts";
import { freezeDayOf } from "../../pipeline/score/governance-index.ts";
import { checkProposalLines } from "../../snapshots/format/agreement/check-evidence.ts";
import { encodeLines } from "../../snapshots/format/canonical-json.ts";
import { Evidence } from "../../snapshots/format/evidence.ts";
import { dayEndMs } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { readProposalLines } from "../../snapshots/store/read/read-documents.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();
const SCORED = "snapshot.dcl.eth";
const AS_OF = dayEndMs("2022-05-15");

/** The evidence and lines of two DAOs, as a reader of the files has them. */
async function publishedEvidence(): Promise<readonly PublishedEvidence[]> {
  const { factsOf, entityIdOfWallet } = readArchive(archive ?? "");
  const daos = [];
  for (const space of [SCORED, "sushigov.eth"]) {
    const scorer = createDaoScorer(await factsOf(space), entityIdOfWallet);
    const points = scorer.scoreDays([dayEndMs(freezeDayOf(AS_OF))]).flatMap((day) => dailyPointOf(day) ?? []);
    daos.push({ evidence: scorer.evidenceAt(AS_OF), points });
  }
  return buildAllEvidence(daos).map(({ evidence, proposals }) => ({
    evidence: Evidence.parse(JSON.parse(JSON.stringify(evidence))),
    proposals: readProposalLines(PATHS.proposals(evidence.space_id), encodeLines(proposals)),
  }));
}

describe.skipIf(archive === undefined)(
  `real scores again from their evidence (${archive ? "archive found" : WITHOUT_REAL_DATA})`,
  async () => {
    const all = archive === undefined ? [] : await publishedEvidence();
    const [scored] = all;

    test("every number of both follows, to the bit", () => {
      expect(recomputeAllScores(all)).toEqual([]);
      expect(all.flatMap(checkProposalLines)).toEqual([]);
    });

    test("one is scored, sure of itself, and a member of its quarter's index", () => {
      expect(scored?.evidence.gvs).toHaveProperty("points");
      expect(scored?.evidence.uncertainty?.kept).toBeGreaterThan(900);
      expect(scored?.evidence.index).toEqual({ freeze_day: "2022-03-31", is_member: true });
      expect(scored?.proposals.length).toBeGreaterThan(500);
    });

    test("raw indicators that are changed by their last bits are found, each of them, and nothing else", () => {
      const forged = structuredClone(all) as PublishedEvidence[];
      const changed = COMPONENT_KEYS.flatMap((key) =>
        (forged[0]?.evidence.components[key].indicators ?? []).flatMap((row, place) => {
          if (row.raw === null) return [];
          row.raw = row.raw * (1 + 2 ** -51) + 2 ** -60;
          return [`evidence/${SCORED}.json components.${key}.indicators.${place}.raw`];
        }),
      );
      expect(changed.length).toBeGreaterThanOrEqual(14);
      expect(recomputeAllScores(forged).map(({ path }) => path)).toEqual(changed);
    });
  },
);
