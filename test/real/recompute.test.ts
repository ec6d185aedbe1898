import { describe, expect, test } from "vitest";
import { buildEvidence } from "../../pipeline/documents/evidence-documents.ts";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { checkProposalLines } from "../../snapshots/format/agreement/check-evidence.ts";
import { encodeLines } from "../../snapshots/format/canonical-json.ts";
import { Evidence } from "../../snapshots/format/evidence.ts";
import { dayEndMs } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { parseDocument } from "../../snapshots/store/read/parse-document.ts";
import { recomputeEvidence } from "../pipeline/recompute/recompute-evidence.ts";
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
    const evidence = createDaoMeasurer(await factsOf(space), entityIdOfWallet).evidenceAt(AS_OF);
    daos.push({ evidence, score: scoreMeasures(evidence.measures) });
  }
  return daos
    .map(({ evidence, score }) => buildEvidence(evidence, score))
    .map(({ evidence, proposals }) => ({
      evidence: Evidence.parse(JSON.parse(JSON.stringify(evidence))),
      proposals: parseDocument("proposals", PATHS.proposals(evidence.space_id), encodeLines(proposals)),
    }));
}

describe.skipIf(archive === undefined)(
  `real scores again from their evidence (${archive ? "archive found" : WITHOUT_REAL_DATA})`,
  async () => {
    const all = archive === undefined ? [] : await publishedEvidence();
    const [scored, unscored] = all;

    test("every number of both follows, to the bit", () => {
      expect(recomputeEvidence(all)).toEqual([]);
      expect(all.flatMap(checkProposalLines)).toEqual([]);
    });

    test("one is scored, of more than five hundred proposals, and the other only has an interval", () => {
      expect([scored?.evidence.unscored, unscored?.evidence.unscored]).toEqual([null, "TOO_LITTLE_KNOWN"]);
      expect(scored?.proposals.length).toBeGreaterThan(500);
      expect(unscored?.evidence.known_share).toBeLessThan(0.5);
    });

    test("indicators that are changed by their last bits are found, each of them, and nothing else", () => {
      const forged = structuredClone(all) as PublishedEvidence[];
      const changed = COMPONENT_KEYS.flatMap((key) =>
        (forged[0]?.evidence.components[key].indicators ?? []).map((row, index) => {
          row.high = row.high * (1 + 2 ** -51) + 2 ** -60;
          return `evidence/${SCORED}.json components.${key}.indicators.${index}.high`;
        }),
      );
      expect(changed).toHaveLength(15);
      expect(recomputeEvidence(forged).map(({ path }) => path)).toEqual(changed);
    });
  },
);
