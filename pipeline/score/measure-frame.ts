import type { Proposal } from "../facts/proposal.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import { createAlikeFinder } from "./alike/find-alike.ts";
import { type BallotPower, createBallotMerger } from "./alike/merge-ballot.ts";
import { collectVoterVotes } from "./alike/voter-votes.ts";
import { fetchedShareOf, fieldsShareOf } from "./components/completeness.ts";
import { concentrationEnds, concentrationOf, unknownPowerOf } from "./components/concentration.ts";
import { decentralizationMarks, whaleShare } from "./components/decentralization.ts";
import { castMarks, proposalMarks } from "./components/deliberation.ts";
import { breadthOf, createLoyaltyMeasurer } from "./components/participation.ts";
import { quorumMark } from "./components/process.ts";
import { type Ballot, type BallotVotes, type Electorate, readBallot } from "./frame/ballot.ts";
import type { FrameProposal } from "./frame/frame.ts";
import { between, type Mark } from "./method/marks.ts";
import type { ProposalMeasures } from "./method/measures.ts";

/** The marks of a distribution of power, before or after voters are merged. */
type PowerMarks = Readonly<Record<"breadth" | "effective" | "majority" | "top", number>>;

/**
 * Measures the proposals of consecutive frames. `ownOf` returns what depends on one proposal alone; this adds what
 * depends on the others: who votes alike, who votes again, what power is usual. `all` holds every proposal that may be
 * in a frame, by (end, id).
 */
export function createFrameMeasurer(
  electorate: Electorate,
  all: readonly Proposal[],
  ownOf: (proposal: Proposal) => ReturnType<typeof measureAlone>,
  unitOf: (proposal: Proposal) => number,
) {
  const isLabelled = (voter: number): boolean => electorate.entityOfVoter.has(voter);
  /** All ballots with power that may be in a frame from `fromMs` on, and what is reused from frame to frame. */
  const prepare = (fromMs: number) => {
    const ballots = all.flatMap((proposal) =>
      (proposal.end?.atMs ?? 0) < fromMs ? [] : (ownOf(proposal).powered?.ballot ?? []),
    );
    const votes = collectVoterVotes(ballots, electorate.voterOfWallet.length);
    return {
      fromMs,
      indexOf: new Map(ballots.map((ballot, index) => [ballot, index])),
      findAlike: createAlikeFinder(votes, isLabelled),
      measureLoyalty: createLoyaltyMeasurer(votes),
    };
  };
  let prepared: ReturnType<typeof prepare> | undefined;

  /** The measures of ballots with power that depend on the other ballots of the frame. */
  const measureTogether = (items: readonly FrameProposal[]) => {
    const fromMs = items[0]?.endMs ?? Infinity;
    if (prepared === undefined || prepared.fromMs > fromMs) prepared = prepare(fromMs);
    const { indexOf, findAlike, measureLoyalty } = prepared;
    const attentions = new Float64Array(indexOf.size);
    const powered = items.flatMap((item) => {
      const measured = ownOf(item.proposal).powered;
      if (measured === undefined) return [];
      const index = indexOf.get(measured.ballot) ?? 0;
      attentions[index] = item.attention;
      return [{ item, own: measured, index, attention: item.attention }];
    });
    const alike = findAlike(attentions);
    const merge = alike === undefined ? (ballot: Ballot): BallotPower => ballot : createBallotMerger(alike);
    const ballots = powered.map((measured) => ({ ...measured, merged: merge(measured.own.ballot) }));
    const loyalties = measureLoyalty(ballots);
    return new Map(
      ballots.map(({ item, own: { ballot, marks, concentration }, merged }, index) => {
        const mergedMarks = merged === ballot ? marks : powerMarks(merged);
        const markOf = (key: keyof PowerMarks): Mark => between(marks[key], mergedMarks[key]);
        return [
          item,
          {
            breadth: markOf("breadth"),
            loyalty: loyalties[index]?.mark,
            effective: markOf("effective"),
            majority: markOf("majority"),
            top: markOf("top"),
            loyaltyAttention: loyalties[index]?.attention ?? 0,
            concentration: { ...concentration, mergedTopShare: merged.ascending.at(-1) ?? 0 },
          },
        ];
      }),
    );
  };

  return (items: readonly FrameProposal[]): readonly ProposalMeasures[] => {
    const together = measureTogether(items);
    return items.map((item) => {
      const { proposal, endMs, power, attention } = item;
      const measured = ownOf(proposal);
      const framed = together.get(item);
      // Without spreads, which take fifty times as long: this runs for every proposal of every frame.
      return {
        proposalId: proposal.proposalId,
        endMs,
        unit: unitOf(proposal),
        power,
        attention,
        votes: measured.votes,
        marks: {
          breadth: framed?.breadth,
          loyalty: framed?.loyalty,
          effective: framed?.effective,
          majority: framed?.majority,
          top: framed?.top,
          discussion: measured.marks.discussion,
          period: measured.marks.period,
          delay: measured.marks.delay,
          contested: measured.powered?.cast.contested,
          rationale: measured.powered?.cast.rationale,
          not_batch: measured.powered?.cast.not_batch,
          quorum: quorumMark(proposal, item),
        },
        loyaltyAttention: framed?.loyaltyAttention ?? 0,
        concentration: framed?.concentration,
        concentrationEnds: measured.concentrationEnds,
        quorum: proposal.quorum,
        quorumPower: proposal.quorumPower,
        fetchedShare: measured.fetchedShare,
        fieldsShare: measured.fieldsShare,
      };
    });
  };
}

function powerMarks(power: BallotPower): PowerMarks {
  return { breadth: breadthOf(power), ...decentralizationMarks(power) };
}

/** A fetched ballot; `batch` holds a value of `BATCH` per vote. */
interface FetchedBallot {
  readonly votes: ProposalVotes;
  readonly batch: Uint8Array;
}

/** Measures a proposal alone, with its ballot if that was fetched: everything that does not depend on the frame. */
export function measureAlone(proposal: Proposal, fetched: FetchedBallot | undefined, electorate: Electorate) {
  const read = fetched && readBallot(fetched.votes, electorate, proposal.votingType);
  return {
    votes: read?.ballot.fetchedCount ?? 0,
    concentrationEnds: concentrationEnds(
      read?.ballot.ascending ?? new Float64Array(),
      unknownPowerOf(proposal, read?.ballot),
    ),
    fetchedShare: fetchedShareOf(proposal, read?.ballot),
    fieldsShare: fieldsShareOf(proposal),
    marks: proposalMarks(proposal),
    /** `undefined` if no power is known. */
    powered: fetched && read?.ballot.voters.length ? measurePower(proposal, fetched, read) : undefined,
  };
}

function measurePower(proposal: Proposal, { votes, batch }: FetchedBallot, cast: BallotVotes) {
  const { ballot } = cast;
  const { ascending } = ballot;
  return {
    ballot,
    cast: castMarks(proposal, votes, cast, batch),
    marks: powerMarks(ballot),
    concentration: {
      topShare: ascending.at(-1) ?? 0,
      whaleShare: whaleShare(ascending),
      ...concentrationOf(ascending),
    },
  };
}
