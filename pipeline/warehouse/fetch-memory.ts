import { deflateSync, inflateSync } from "node:zlib";
import { invariant } from "../facts/errors.ts";
import type { FetchMemory } from "../facts/governance-source.ts";
import { busyElsewhere, corrupt, type Database } from "./database.ts";
import { openToken } from "./delegation-events.ts";
import { createDelegationMemory, keptToken, type OpenDelegationMemory } from "./delegation-memory.ts";
import { readHeldProposals } from "./proposals.ts";
import type { VoterNumbers, WriteAtOnce } from "./voter-numbers.ts";

/**
 * Opens the memories of fetches on one connection: nothing of one is read before it is asked for, and nothing answered
 * once `still` throws, because its fetch is over.
 */
export function fetchMemories(database: Database, voters: VoterNumbers, writeAtOnce: WriteAtOnce) {
  const statements = {
    openToken: openToken(database),
    keptToken: keptToken(database),
    readHeldProposals: readHeldProposals(database),
    fetchPages: fetchPages(database),
    fetchNote: fetchNote(database),
  };
  return (daoNumber: number, sourceId: string, still: () => void) => {
    const pages = statements.fetchPages(daoNumber, sourceId);
    const keptProposals = new Set<string>();
    const keptVotes = new Set<string>();
    const delegations = new Map<string, OpenDelegationMemory>();
    let held: ReturnType<FetchMemory["heldProposals"]> | undefined;
    let heldIds: ReadonlySet<string> = new Set();
    let newNote: string | undefined;

    const write: WriteAtOnce = (work) => {
      still();
      return writeAtOnce(work);
    };
    const heldProposals = () => {
      still();
      if (held === undefined) {
        held = statements.readHeldProposals(daoNumber, sourceId);
        heldIds = new Set(held.map(({ proposal }) => proposal.proposalId));
      }
      return held;
    };
    const keepVotes = (proposalId: string) => {
      heldProposals();
      invariant(heldIds.has(proposalId), `proposal ${proposalId} is kept and was never held`);
      keptVotes.add(proposalId);
    };
    const delegationOf = (token: string) => {
      still();
      let delegation = delegations.get(token);
      if (delegation === undefined) {
        const tokenNumber = write(() => statements.openToken(daoNumber, sourceId, token));
        delegation = createDelegationMemory(statements.keptToken(tokenNumber), write);
        delegations.set(token, delegation);
      }
      return delegation;
    };
    return {
      /** What the source sees of it. */
      memory: {
        heldProposals,
        keepProposal(proposalId) {
          keepVotes(proposalId);
          keptProposals.add(proposalId);
        },
        keepVotes,
        note() {
          still();
          return newNote ?? statements.fetchNote.read(daoNumber, sourceId);
        },
        putNote(note) {
          still();
          newNote = note;
        },
        checkpoint({ series, page, payload, voters: addresses }) {
          write(() => {
            pages.put(series, page, payload);
            for (const address of addresses) voters.numberOf(address);
          });
        },
        resumedPage(series, page) {
          still();
          return pages.read(series, page);
        },
        forgetPages: (series) => write(() => pages.forget(series)),
        delegationOf,
      } satisfies FetchMemory,
      keptProposals,
      keptVotes,
      /** How many delegation events this fetch kept. */
      keptEvents: () => [...delegations.values()].reduce((sum, one) => sum + one.keptCount(), 0),
      /** Called within the commit's transaction: writes the note, shows the kept events and drops the pages. */
      settle() {
        for (const delegation of delegations.values()) delegation.settle();
        if (newNote !== undefined) statements.fetchNote.put(daoNumber, sourceId, newNote);
        pages.forgetAll();
      },
    };
  };
}

/** What a source wrote down for itself about one DAO. */
function fetchNote(database: Database) {
  const select = database.prepare<[number, string], { note: string }>(
    "SELECT note FROM fetch_notes WHERE dao_number = ? AND source_id = ?",
  );
  const replace = database.prepare<[number, string, string]>(
    "INSERT OR REPLACE INTO fetch_notes (dao_number, source_id, note) VALUES (?, ?, ?)",
  );
  return {
    read: (daoNumber: number, sourceId: string) => select.get(daoNumber, sourceId)?.note,
    put: (daoNumber: number, sourceId: string, note: string) => void replace.run(daoNumber, sourceId, note),
  };
}

/** A page is a few hundred kilobytes of JSON that repeats itself; more than this is none of ours. */
const PAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * The pages of one DAO and source that were fetched and are not committed yet. They are deflated: a quarter of their size,
 * and a checksum that a damaged one does not pass.
 */
function fetchPages(database: Database) {
  const insert = database.prepare<[number, string, string, number, Buffer]>(
    `INSERT INTO fetch_pages (dao_number, source_id, series, page, packed) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const select = database.prepare<[number, string, string, number], { packed: Buffer }>(
    "SELECT packed FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ? AND page = ?",
  );
  const drop = database.prepare<[number, string, string]>(
    "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ?",
  );
  const dropAll = database.prepare<[number, string]>(
    "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber: number, sourceId: string) => ({
    put(series: string, page: number, payload: string) {
      const { changes } = insert.run(daoNumber, sourceId, series, page, deflateSync(payload, { level: 1 }));
      if (changes === 1) return;
      // Two fetches that mix their pages would lose votes where the pages of the one overlap the other's.
      throw busyElsewhere();
    },
    read(series: string, page: number) {
      const row = select.get(daoNumber, sourceId, series, page);
      return row === undefined ? undefined : unpacked(row.packed, series, page);
    },
    forget: (series: string) => void drop.run(daoNumber, sourceId, series),
    forgetAll: () => void dropAll.run(daoNumber, sourceId),
  });
}

function unpacked(packed: Buffer, series: string, page: number): string {
  try {
    return inflateSync(packed, { maxOutputLength: PAGE_BYTES_MAX }).toString("utf8");
  } catch (cause) {
    throw corrupt(`page ${page} of the series ${series} cannot be read`, cause);
  }
}
