import { buildEvidence } from "../../../pipeline/documents/evidence-documents.ts";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import { sampleDao, sampleProposal, sampleProposalVotes, T } from "../score/sample-facts.ts";

const RULES = {
  spaceId: "sample.eth",
  name: "Sample",
  website: "https://sample.example/",
  forum: undefined,
  isProposingGated: true,
  hasFixedPeriod: false,
  quorum: 10,
  adminsAndModeratorsCount: 3,
  isFlagged: undefined,
  isHibernated: undefined,
  isVerified: undefined,
};

function heldVotes(proposalId: string, startMs: number, voters: number) {
  return sampleProposalVotes(
    proposalId,
    Array.from({ length: voters }, (_, voter) => ({
      voter,
      power: 100 - 7 * voter,
      atMs: startMs + voter * 3_600_000,
      choice: voter % 3 === 0 ? 2 : 1,
      reason: voter % 4 === 0,
    })),
  );
}

/** A small DAO with proposals of every place: members (one without a ballot, one without votes), ignored, open, flagged, deleted, too old, not counted, without an end. */
export function variedDao(spaceId: string, members = 4): DaoFacts {
  const own = Array.from({ length: members }, (_, index) =>
    sampleProposal(`m${index}`, {
      endDaysAgo: 60 - 3 * index,
      author: `0xauthor${index % 3}`,
      quorum: 300,
      quorumPower: index === 0 ? 200 : undefined,
      votesCount: 9 - (index % 2),
      title: index === 1 ? "=1+1;=2+2" : `m${index}`,
      link: `https://vote.example/#/s:sample.eth/proposal/m${index}`,
      scoresTotal: undefined,
    }),
  );
  const others = [
    sampleProposal("nobody-knows", { end: undefined }),
    sampleProposal("old", { endDaysAgo: 800 }),
    sampleProposal("missing", { endDaysAgo: 5, votesCount: 9, scoresTotal: 600 }),
    sampleProposal("silent", { endDaysAgo: 4, strategiesKey: "[other]" }),
    sampleProposal("ignored", { endDaysAgo: 3, votesCount: 1, scoresTotal: 1 }),
    sampleProposal("flagged", { endDaysAgo: 2, isFlagged: true }),
    sampleProposal("deleted", { endDaysAgo: 2, isDeleted: true }),
    sampleProposal("cancelled", { endDaysAgo: 2, state: "cancelled" }),
    sampleProposal("uncounted", { endDaysAgo: 2, scoresState: "pending" }),
    sampleProposal("still-open", { endDaysAgo: 2, state: "active" }),
    sampleProposal("open", { endDaysAgo: -2, state: "active", scoresState: "pending" }),
  ];
  const endOf = (proposal: (typeof own)[number]): number => proposal.end?.atMs ?? -1;
  const proposals = [...own, ...others].sort(
    (a, b) => endOf(a) - endOf(b) || (a.proposalId < b.proposalId ? -1 : 1),
  );
  return sampleDao({
    dao: { spaceId, name: spaceId, category: "defi", governor: undefined },
    space: RULES,
    proposals,
    held: own.map(({ proposalId, start }) => heldVotes(proposalId, start?.atMs ?? 0, 8)),
    delegateLists: [
      {
        spaceId,
        date: "2025-06-20",
        asOfMs: T - 9 * 86_400_000,
        isComplete: true,
        decimals: 0,
        fetchedAtMs: T,
        delegates: [
          { address: "0xa", votes: 5n, delegatorsCount: 1, ens: undefined },
          { address: "0xb", votes: 2n, delegatorsCount: 1, ens: undefined },
        ],
      },
    ],
  });
}

/** Evidence of DAOs, as a reader of the published files has it: through JSON. */
export function publishedEvidenceOf(all: readonly DaoFacts[]): readonly PublishedEvidence[] {
  const measured = all.map((facts) => {
    const evidence = createDaoMeasurer(facts, () => undefined).evidenceAt(T);
    return { evidence, score: scoreMeasures(evidence.measures) };
  });
  const built = measured.map(({ evidence, score }) => buildEvidence(evidence, score));
  return JSON.parse(JSON.stringify(built)) as PublishedEvidence[];
}
