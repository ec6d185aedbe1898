import { deliberationRows } from "../../pipeline/score/components/deliberation.ts";
import { createDaoScorer, type DaoScorer } from "../../pipeline/score/dao-scorer.ts";
import { INDICATORS } from "../../pipeline/score/method/indicators.ts";
import { weightedMean } from "../../pipeline/score/method/statistics.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import type { ArchiveReader } from "./archive-facts.ts";

/** One number found of one DAO (or of one proposal), and where it lies between its goalposts. */
export interface Found {
  readonly measure: string;
  readonly raw: number;
  /** 0–1 where the measure earns marks; `undefined` where it is only reported. */
  readonly marks: number | undefined;
}

/** Everything found of one DAO as of one day: `daos` one number a measure, `proposals` one a member of the frame. */
export interface CalibratedDao {
  readonly spaceId: string;
  readonly daos: readonly Found[];
  readonly proposals: readonly Found[];
}

type Assessed = ReturnType<DaoScorer["assessAt"]>;

const found = (measure: string, raw: number | undefined, marks?: number): Found[] =>
  raw === undefined ? [] : [{ measure, raw, marks }];

/** Mean over proposals by ω, of one indicator of deliberation: also where too few are known for an index. */
function deliberationOfDao(members: Assessed["measures"]["members"]): Found[] {
  const rows = members.map((member) => deliberationRows(member));
  return Object.values(INDICATORS.pdi).flatMap(({ id }) => {
    const known = members.flatMap(({ attention }, place) => {
      const row = rows[place]?.find((candidate) => candidate.id === id);
      if (row?.raw === undefined || row.value === undefined) return [];
      return [{ raw: row.raw, marks: row.value, weight: attention }];
    });
    const meanOf = (of: "raw" | "marks") =>
      weightedMean(known.map((item) => ({ value: item[of], weight: item.weight })));
    return found(`pdi ${id}`, meanOf("raw"), meanOf("marks"));
  });
}

/** The indicators, each by itself, and each component before thin evidence and after it. */
function componentRows({ scored, measures }: Assessed): Found[] {
  return COMPONENT_KEYS.flatMap((key) => {
    const { before, score, indicators } = scored.components[key];
    const points = (label: string, of: typeof score): Found[] =>
      of.kind === "gap" ? [] : found(label, of.points, of.points / 10);
    return [
      ...(key === "pdi"
        ? deliberationOfDao(measures.members)
        : indicators.flatMap(({ id, raw, value }) => found(`${key} ${id}`, raw, value))),
      ...points(`${key} before thin evidence`, before),
      ...points(key, score),
    ];
  });
}

/** What is made of the components, what risk is the largest of, and what is reported beside them. */
function wholeRows({ scored, measures, humans }: Assessed): Found[] {
  const { gvs, risk, completeness, attentionSum, effectiveProposals, evidenceShare } = scored;
  const wallets = humans.coordination.links.flat();
  return [
    ...(gvs.kind === "gap" ? [] : found("gvs", gvs.points, gvs.points / 10)),
    ...(risk.kind === "gap"
      ? []
      : [
          ...found("risk", risk.score, 1 - risk.score / 100),
          ...found("risk base", risk.base, 1 - risk.base / 100),
          ...found("risk dominance floor", risk.dominance),
          ...found("risk smallness floor", risk.smallness),
          ...found("whale_control_pct", risk.whaleControlPct),
          ...found("proposals a month", risk.proposalsPerMonth),
        ]),
    ...found("active_voter_count", measures.activeVoterCount),
    ...(measures.members.some(({ timedVotes }) => timedVotes > 0)
      ? found("checkpoint_voting_pct", batchPct(measures.members))
      : []),
    ...found("data_completeness", completeness.pct, (completeness.pct ?? 0) / 100),
    ...found("attention Σω", attentionSum),
    ...found("effective proposals", effectiveProposals),
    ...found("evidence share λ", evidenceShare, evidenceShare),
    ...(measures.isCoordinationAssessed ? found("wallets in clusters", new Set(wallets).size) : []),
  ];
}

function batchPct(members: Assessed["measures"]["members"]): number {
  const sum = (of: "batchVotes" | "timedVotes"): number =>
    members.reduce((total, member) => total + member.attention * member[of], 0);
  return (100 * sum("batchVotes")) / sum("timedVotes");
}

/** The deliberation of each proposal of the frame by itself: means over a DAO hide where single marks fall. */
function proposalRows({ measures }: Assessed): Found[] {
  return measures.members.flatMap((member) =>
    deliberationRows(member).flatMap(({ id, raw, value }) => found(`pdi ${id}`, raw, value)),
  );
}

/** Measures one DAO of an archive as of the end of a day. */
export async function calibrateDao(
  reader: ArchiveReader,
  spaceId: string,
  day: string,
): Promise<CalibratedDao> {
  const scorer = createDaoScorer(await reader.factsOf(spaceId), reader.entityIdOfWallet);
  const assessed = scorer.assessAt(Date.parse(`${day}T23:59:59.999Z`), true);
  if (assessed.measures.members.length === 0) return { spaceId, daos: [], proposals: [] };
  return {
    spaceId,
    daos: [...componentRows(assessed), ...wholeRows(assessed)],
    proposals: proposalRows(assessed),
  };
}
