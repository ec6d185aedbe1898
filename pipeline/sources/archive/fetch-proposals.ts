import type { Proposal } from "../../facts/proposal.ts";
import { HubProposal } from "../upstream/hub-proposal.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { proposalOfHub } from "../upstream/proposal-of-hub.ts";
import { RowError } from "../upstream/row-error.ts";
import { type ArchiveReading, readRows } from "./read-rows.ts";

/** Takes `proposals/<space_id>.ndjson`; answers what was taken, by id, or `undefined` where there is no such file. */
export async function fetchProposals(
  reading: ArchiveReading,
  spaceId: string,
): Promise<ReadonlyMap<string, Proposal> | undefined> {
  const proposals = new Map<string, Proposal>();
  const wasThere = await readRows(reading, `proposals/${spaceId}.ndjson`, (value) => {
    const proposal = proposalOfHub(parseShape(HubProposal, value));
    if (proposals.has(proposal.proposalId)) {
      throw new RowError("PROPOSAL_DUPLICATE", "an earlier row has the same id");
    }
    proposals.set(proposal.proposalId, proposal);
    reading.sink.putProposal(proposal);
  });
  return wasThere ? proposals : undefined;
}
