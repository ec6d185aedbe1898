import { deflateSync, inflateSync } from "node:zlib";
import { invariant } from "../facts/errors.ts";
import type { FetchMemory, HeldProposal } from "../facts/governance-source.ts";
import { busyElsewhere, corrupt, type Database } from "./database.ts";
import { openToken } from "./delegation-events.ts";
import { createDelegationMemory } from "./delegation-memory.ts";
import { readHeldProposals } from "./proposals.ts";
import type { VoterNumbers, WriteAtOnce } from "./voter-numbers.ts";

/** A limit far above any page of ours, which is a few hundred kilobytes of repetitive JSON. */
const PAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Opens the memory of a fetch. It reads lazily, and every call first calls `assertOpen`, which throws once the fetch is
 * over.
 *
 * Pages that are not committed yet are deflated: a quarter of the size, and with a checksum.
 */
export function openFetchMemory(
  database: Database,
  voters: VoterNumbers,
  { daoNumber, sourceId }: { readonly daoNumber: number; readonly sourceId: string },
  assertOpen: () => void,
) {
  const key = [daoNumber, sourceId] as const;
  const keptProposals = new Set<string>();
  const keptVotes = new Set<string>();
  const delegations = new Map<string, ReturnType<typeof createDelegationMemory>>();
  let held: readonly HeldProposal[] | undefined;
  let heldIds: ReadonlySet<string> = new Set();
  let newNote: string | undefined;

  const write: WriteAtOnce = (work) => {
    assertOpen();
    return voters.writeAtOnce(work);
  };
  const heldProposals = () => {
    assertOpen();
    if (held === undefined) {
      held = readHeldProposals(database, daoNumber, sourceId);
      heldIds = new Set(held.map(({ proposal }) => proposal.proposalId));
    }
    return held;
  };
  const keepVotes = (proposalId: string) => {
    heldProposals();
    invariant(heldIds.has(proposalId), `proposal ${proposalId} is kept and was never held`);
    keptVotes.add(proposalId);
  };
  return {
    /** The part that the source uses. */
    memory: {
      heldProposals,
      keepProposal(proposalId) {
        keepVotes(proposalId);
        keptProposals.add(proposalId);
      },
      keepVotes,
      note() {
        assertOpen();
        const select = "SELECT note FROM fetch_notes WHERE dao_number = ? AND source_id = ?";
        return newNote ?? database.get<{ note: string }>(select, ...key)?.note;
      },
      putNote(note) {
        assertOpen();
        newNote = note;
      },
      checkpoint({ series, page, payload, voters: addresses }) {
        write(() => {
          const insert = `INSERT INTO fetch_pages (dao_number, source_id, series, page, packed)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
          const changes = database.run(insert, ...key, series, page, deflateSync(payload, { level: 1 }));
          // If two fetches mixed their pages, votes would be lost where pages overlap.
          if (changes !== 1) throw busyElsewhere();
          for (const address of addresses) voters.numberOf(address);
        });
      },
      resumedPage(series, page) {
        assertOpen();
        const select = `SELECT packed FROM fetch_pages
          WHERE dao_number = ? AND source_id = ? AND series = ? AND page = ?`;
        const row = database.get<{ packed: Buffer }>(select, ...key, series, page);
        return row && unpacked(row.packed, series, page);
      },
      forgetPages(series) {
        const drop = "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ?";
        write(() => database.run(drop, ...key, series));
      },
      delegationOf(token) {
        assertOpen();
        let delegation = delegations.get(token);
        if (delegation === undefined) {
          const tokenNumber = write(() => openToken(database, daoNumber, sourceId, token));
          delegation = createDelegationMemory(database, tokenNumber, write);
          delegations.set(token, delegation);
        }
        return delegation;
      },
    } satisfies FetchMemory,
    isKept: (part: "proposal" | "votes", proposalId: string): boolean =>
      (part === "proposal" ? keptProposals : keptVotes).has(proposalId),
    /** How many delegation events this fetch stored. */
    keptEvents: () => [...delegations.values()].reduce((sum, one) => sum + one.keptCount(), 0),
    /** Called within the commit's transaction: writes the note, confirms the stored events and drops the pages. */
    settle(confirmedAtMs: number) {
      for (const delegation of delegations.values()) delegation.settle(confirmedAtMs);
      if (newNote !== undefined) database.put("fetch_notes", { daoNumber, sourceId, note: newNote });
      database.run("DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ?", ...key);
    },
  };
}

function unpacked(packed: Buffer, series: string, page: number): string {
  try {
    return inflateSync(packed, { maxOutputLength: PAGE_BYTES_MAX }).toString("utf8");
  } catch (cause) {
    throw corrupt(`page ${page} of the series ${series} cannot be read`, cause);
  }
}
