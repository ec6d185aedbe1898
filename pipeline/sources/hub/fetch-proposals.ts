import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HubProposal, proposalOfHub } from "../upstream/hub-objects.ts";
import { createRowTally, judgeRows, parseShape, reject, rowFailure } from "../upstream/row-error.ts";
import { PROPOSALS_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";
import { readHubPages } from "./pages.ts";

/**
 * Deduplicates long texts of a listing's proposals: most proposals of a space share their strategies. Throws
 * `SOURCE_FAILED` if the texts exceed any plausible space.
 */
export function createTextKeeper(
  lengthMax: number = HUB_LIMITS.textLengthMax,
): (proposal: Proposal) => Proposal {
  const known = new Map<string, string>();
  let length = 0;
  const hold = (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const same = known.get(text);
    if (same !== undefined) return same;
    length += text.length;
    if (length > lengthMax) {
      throw sourceFailed(
        `the proposals of one space contain more than ${lengthMax} characters of links and strategies`,
      );
    }
    known.set(text, text);
    return text;
  };
  return (proposal) => ({
    ...proposal,
    discussion: hold(proposal.discussion),
    strategiesKey: hold(proposal.strategiesKey),
  });
}

/** Parsed before the rest of a row: a rejected proposal still exists, and its space is checked first. */
const Named = z.object({ id: z.string() });
const OfSpace = z.object({ space: Named });

interface ListedProposals {
  readonly proposals: ReadonlyMap<string, Proposal>;
  /** Ids of rejected rows: the hub has these proposals. */
  readonly refusedIds: ReadonlySet<string>;
  /** Rows that the hub has but cannot return, whose ids are unknown. */
  readonly withheld: number;
}

/** Lists the proposals of a space that end at `fromS` or later, by creation. */
export async function fetchProposals(reading: HubReading, fromS: number): Promise<ListedProposals> {
  const taking = createTaking(reading);
  // The hub ignores `end_gte: 0`, which is right here: all proposals are wanted.
  const where = { space: reading.spaceId, end_gte: fromS };
  for await (const rows of listProposals(reading, where)) taking.take(rows);
  return taking.finish();
}

/** Fetches proposals by id, to tell deleted ones from those that moved out of a listing. */
export async function fetchProposalsById(
  reading: HubReading,
  ids: readonly string[],
): Promise<ListedProposals> {
  const { spaceId, pageSize } = reading;
  const taking = createTaking(reading);
  const idsMax = Math.min(HUB_LIMITS.idsMax, pageSize);
  for (let from = 0; from < ids.length; from += idsMax) {
    const where = { space: spaceId, id_in: ids.slice(from, from + idsMax) };
    for await (const rows of listProposals(reading, where, idsMax)) taking.take(rows);
  }
  const { proposals, ...rest } = taking.finish();
  // Drop proposals that were not requested.
  const asked = new Set(ids);
  return { proposals: new Map([...proposals].filter(([id]) => asked.has(id))), ...rest };
}

async function* listProposals(
  reading: HubReading,
  where: Readonly<Record<string, unknown>>,
  most?: number,
): AsyncGenerator<readonly unknown[]> {
  let listed = 0;
  for await (const { rows, cursor, isCut } of readHubPages(reading, PROPOSALS_QUERY, where, most)) {
    listed += rows.length;
    if (listed > HUB_LIMITS.proposalsMax) {
      throw sourceFailed(`the hub lists more than ${HUB_LIMITS.proposalsMax} proposals of one space`);
    }
    // Proposals that share a second come by the same id in both directions.
    if (isCut || cursor?.downTo !== undefined) {
      throw sourceFailed(
        `more proposals were created in one second than the hub allows to skip (${HUB_LIMITS.skipMax})`,
      );
    }
    yield rows;
  }
}

function createTaking({ spaceId, sink, record }: HubReading) {
  const tally = createRowTally(sink);
  const proposals = new Map<string, Proposal>();
  const refusedIds = new Set<string>();
  const keepTexts = createTextKeeper();
  const file = `proposals/${spaceId}`;
  let line = 0;
  let withheld = 0;
  return {
    take(rows: readonly unknown[]): void {
      for (const row of rows) {
        line += 1;
        if (row === undefined) {
          withheld += 1;
          reject(sink, { file, line }, "BAD_SHAPE", "the hub cannot return it: a required field is null");
          continue;
        }
        const taken = tally.row({ file, line }, () => {
          const hub = parseShape(HubProposal, row);
          const space = OfSpace.safeParse(row).data?.space.id;
          if (space !== undefined && space !== spaceId) {
            throw rowFailure("ID_INVALID", "it is a proposal of another space than requested");
          }
          const proposal = keepTexts(proposalOfHub(hub));
          if (proposals.has(proposal.proposalId)) {
            throw rowFailure("PROPOSAL_DUPLICATE", "an earlier row has the same id");
          }
          proposals.set(proposal.proposalId, proposal);
          record({ kind: "proposal", spaceId, object: row });
          return proposal;
        });
        const id = taken !== undefined ? undefined : Named.safeParse(row).data?.id;
        if (id !== undefined) refusedIds.add(id);
      }
    },
    finish(): ListedProposals {
      judgeRows("proposals of the hub", tally);
      return { proposals, refusedIds, withheld };
    },
  };
}
