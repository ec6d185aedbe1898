import type { DaoFacts } from "../facts/dao-facts.ts";
import { plainRisk } from "./components/risk.ts";
import {
  type FrameScores,
  frameScoresOf,
  publishedScores,
  type ScoredMeasures,
  scoreMeasures,
} from "./components/score-measures.ts";
import { collectProposals, countClusters, type DaoEvidence, linksOf } from "./dao-evidence.ts";
import type { DelegateHistory } from "./delegates/delegate-history.ts";
import { entityVoteTimes, participationOfEntities } from "./heads/entity-participation.ts";
import { createDaoMeasurer, type MeasuredDao } from "./measure-dao.ts";
import type { DaoScore, DayScore } from "./method/dao-score.ts";
import type { FrameMeasures } from "./method/measures.ts";
import { chancesOf } from "./uncertainty/uncertainty.ts";

/** One DAO as of one moment: its frame, its measures, and everything that follows from them. */
interface AssessedDao extends MeasuredDao {
  readonly scored: ScoredMeasures;
}

/** Scores one DAO as of any moment. What does not depend on the moment is computed once and kept. */
export interface DaoScorer {
  /** `isPastDay`: a day-end of the past, whose data are as fresh as they will ever be. */
  scoreAt(asOfMs: number, isPastDay: boolean): DaoScore;
  /** The scores as of past day-ends, ascending: one pass, in which only what changed from day to day is measured again. */
  scoreDays(dayEndsMs: readonly number[]): DayScore[];
  /** The same with all that the score is made of. */
  assessAt(asOfMs: number, isPastDay: boolean): AssessedDao;
  /** What that rests on, proposal by proposal. */
  evidenceAt(asOfMs: number): DaoEvidence;
  readonly delegates: DelegateHistory;
}

/** A scorer of one DAO. `entityIdOfWallet` names the entity of a wallet (lower case), opted out or not. */
export function createDaoScorer(
  facts: DaoFacts,
  entityIdOfWallet: (wallet: string) => string | undefined,
): DaoScorer {
  const measurer = createDaoMeasurer(facts, entityIdOfWallet);
  const { entityHeads, entityIdOfHead } = measurer.electorate;
  const timesOfEntity = entityVoteTimes(facts.ballots.values(), facts.entityIdOfVoter);

  let last: { readonly measures: FrameMeasures; readonly scores: FrameScores } | undefined;

  const assessAt = (asOfMs: number, isPastDay: boolean): AssessedDao => {
    const { frame, humans, lasting, measures } = measurer.measureAt(asOfMs, isPastDay);
    if (last?.measures !== lasting) last = { measures: lasting, scores: frameScoresOf(lasting) };
    return { frame, humans, lasting, measures, scored: scoreMeasures(measures, last.scores) };
  };
  const dayScoreOf = ({ scored, measures }: AssessedDao): DayScore => ({
    spaceId: facts.dao.spaceId,
    asOfMs: measures.asOfMs,
    components: publishedScores(scored.components),
    gvs: scored.gvs,
    confidence: scored.confidence,
    risk: plainRisk(scored.risk),
    completenessPct: scored.completeness.pct,
    attentionSum: scored.attentionSum,
  });
  const scoreAt = (asOfMs: number, isPastDay: boolean): DaoScore => {
    const assessed = assessAt(asOfMs, isPastDay);
    const { frame } = assessed;
    const entities = participationOfEntities({
      frame,
      headOfVoter: entityHeads,
      entityIdOfHead,
      timesOfEntity,
    });
    return { ...dayScoreOf(assessed), entities };
  };
  const evidenceAt = (asOfMs: number): DaoEvidence => {
    const { frame, humans, measures, scored } = assessAt(asOfMs, false);
    const { humanOfVoter, coordination } = humans;
    const { votesOf } = measurer;
    const { members } = measures;
    return {
      measures,
      scored,
      proposals: collectProposals({
        proposals: facts.proposals,
        frame,
        members,
        humanOfVoter,
        votesOf,
      }),
      clusters: countClusters(coordination, humanOfVoter),
      links: linksOf(facts.space, facts.proposals),
      chances: chancesOf({ measures, scored }),
    };
  };
  const scoreDays = (dayEndsMs: readonly number[]): DayScore[] =>
    dayEndsMs.map((dayEndMs) => dayScoreOf(assessAt(dayEndMs, true)));
  return { scoreAt, scoreDays, assessAt, evidenceAt, delegates: measurer.delegates };
}
