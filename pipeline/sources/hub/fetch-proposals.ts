import { z } from "zod";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { PageReader } from "../graphql/page-reader.ts";
import { HubProposal, proposalOfHub } from "../upstream/hub-objects.ts";
import { createRowTally, judgeRows, parseShape, reject, rowFailure } from "../upstream/row-error.ts";
import { HUB_LIMITS, type HubReading, PROPOSALS_QUERY } from "./ask-hub.ts";
import { readListing } from "./pages.ts";

/**
 * Deduplicates long texts of a listing's proposals: most proposals of a space share their strategies. Throws
 * `SOURCE_FAILED` if the texts exceed any plausible space.
 */
function createTextKeeper(): (proposal: Proposal) => Proposal {
  const known = new Map<string, string>();
  let length = 0;
  const keep = (text: string | undefined): string | undefined => {
    const same = text === undefined ? undefined : known.get(text);
    if (text === undefined || same !== undefined) return same;
    length += text.length;
    if (length > HUB_LIMITS.textLengthMax) {
      throw sourceFailed(
        `the proposals of one space contain more than ${HUB_LIMITS.textLengthMax} characters of links and strategies`,
      );
    }
    known.set(text, text);
    return text;
  };
  return (proposal) => ({
    ...proposal,
    discussion: keep(proposal.discussion),
    strategiesKey: keep(proposal.strategiesKey),
  });
}

/** Yields the rows of a listing of proposals. Throws `SOURCE_FAILED` if there is no end to it, or if rows are lost. */
export async function* readProposalRows(
  pages: PageReader,
  where: Readonly<Record<string, unknown>>,
  most?: number,
): AsyncGenerator<unknown> {
  let listed = 0;
  for await (const { rows, isCut } of readListing(pages, PROPOSALS_QUERY, where, most)) {
    listed += rows.length;
    if (listed > HUB_LIMITS.proposalsMax) {
      throw sourceFailed(`the hub lists more than ${HUB_LIMITS.proposalsMax} proposals`);
    }
    if (isCut) {
      throw sourceFailed(
        `more proposals were created in one second than the hub allows to skip (${HUB_LIMITS.skipMax})`,
      );
    }
    yield* rows;
  }
}

/** Parsed before the rest of a row: a rejected proposal still exists, and its space is checked first. */
const Named = z.object({ id: z.string() });
const OfSpace = z.object({ space: Named });

/** Fetches proposals by id, to tell deleted ones from those that moved out of a listing. */
export async function fetchProposalsById(reading: HubReading, ids: readonly string[]) {
  const idsMax = Math.min(HUB_LIMITS.idsMax, reading.pages.pageSize);
  const batches = [...inBatches(ids, idsMax)].map((batch) => ({ id_in: batch }));
  const { proposals, ...rest } = await listProposals(reading, batches, idsMax);
  // Drop proposals that were not requested.
  const asked = new Set(ids);
  return { proposals: new Map([...proposals].filter(([id]) => asked.has(id))), ...rest };
}

/** Lists proposals of a space, for each of these conditions by creation. */
export async function listProposals(
  reading: HubReading,
  wheres: readonly Readonly<Record<string, unknown>>[],
  most?: number,
) {
  const { pages, spaceId, sink, record } = reading;
  const tally = createRowTally(sink);
  const proposals = new Map<string, Proposal>();
  /** Ids of rejected rows: the hub has these proposals. */
  const refusedIds = new Set<string>();
  const keepTexts = createTextKeeper();
  const file = `proposals/${spaceId}`;
  let line = 0;
  /** Rows that the hub has but cannot return, whose ids are unknown. */
  let withheld = 0;

  const take = (row: unknown) => {
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
  };
  for (const where of wheres) {
    for await (const row of readProposalRows(pages, { space: spaceId, ...where }, most)) {
      line += 1;
      if (row === undefined) {
        withheld += 1;
        reject(sink, { file, line }, "BAD_SHAPE", "the hub cannot return it: a required field is null");
        continue;
      }
      const taken = tally.row({ file, line }, () => take(row));
      const id = taken === undefined ? Named.safeParse(row).data?.id : undefined;
      if (id !== undefined) refusedIds.add(id);
    }
  }
  judgeRows("proposals of the hub", tally);
  return { proposals, refusedIds, withheld };
}
