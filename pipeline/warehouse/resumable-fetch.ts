import { deflateSync, inflateSync } from "node:zlib";
import { invariant } from "../facts/errors.ts";
import type { FetchMemory, HeldProposal } from "../facts/governance-source.ts";
import { busyElsewhere, corrupt, type Database } from "./database.ts";
import { openToken } from "./delegation-events.ts";
import { createDelegationMemory } from "./delegation-memory.ts";
import type { FetchAttempt } from "./fetches.ts";
import { readHeldProposals } from "./proposals.ts";
import { type CheckedRecord, createRecordWriter, type Writing } from "./record-writer.ts";
import type { VoterNumbers, WriteAtOnce } from "./voter-numbers.ts";

/** A limit far above any page of ours, which is a few hundred kilobytes of repetitive JSON. */
const PAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * A fetch that continues earlier ones, for sources that take hours. It holds no transaction, so that its pages can be
 * stored at once and others can write meanwhile. Records wait in memory (15 bytes a vote) until the commit, which writes
 * them and drops whatever the source neither put nor kept this time.
 *
 * Pages that are not committed yet are deflated: a quarter of the size, and with a checksum. Every call of the memory
 * first calls `assertOpen`, which throws once the fetch is over.
 */
export function beginResumable(
  database: Database,
  voters: VoterNumbers,
  { spaceId, sourceId, fetchedAtMs }: FetchAttempt,
  assertOpen: () => void,
): Writing {
  const daoNumber = voters.writeAtOnce(() => database.numberOf("daos", { spaceId }));
  const key = [daoNumber, sourceId] as const;
  /** By subject: a later record of the same subject replaces the earlier one. */
  const records = new Map<string, CheckedRecord>();
  const keptProposals = new Set<string>();
  const keptVotes = new Set<string>();
  const delegations = new Map<string, ReturnType<typeof createDelegationMemory>>();
  let held: ReadonlyMap<string, HeldProposal> | undefined;
  let newNote: string | undefined;

  const write: WriteAtOnce = (work) => {
    assertOpen();
    return voters.writeAtOnce(work);
  };
  const heldById = () => {
    assertOpen();
    held ??= new Map(
      readHeldProposals(database, ...key).map((one) => [one.proposal.proposalId, one] as const),
    );
    return held;
  };
  const keepVotes = (proposalId: string) => {
    invariant(heldById().has(proposalId), `proposal ${proposalId} is kept and was never held`);
    keptVotes.add(proposalId);
  };
  const delegationOf = (token: string) => {
    assertOpen();
    let delegation = delegations.get(token);
    if (delegation === undefined) {
      const tokenNumber = write(() => openToken(database, ...key, token));
      delegation = createDelegationMemory(database, tokenNumber, write);
      delegations.set(token, delegation);
    }
    return delegation;
  };
  const memory: FetchMemory = {
    heldProposals: () => [...heldById().values()],
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
      try {
        return row && inflateSync(row.packed, { maxOutputLength: PAGE_BYTES_MAX }).toString("utf8");
      } catch (cause) {
        throw corrupt(`page ${page} of the series ${series} cannot be read`, cause);
      }
    },
    forgetPages(series) {
      const drop = "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ?";
      write(() => database.run(drop, ...key, series));
    },
    delegationOf,
  };
  /** A proposal that disappeared upstream must disappear here, with its ballot. */
  const dropUnkept = () => {
    if (!records.has("space")) {
      database.run("DELETE FROM spaces WHERE dao_number = ? AND source_id = ?", ...key);
    }
    const select = `SELECT proposal_number AS number, proposal_id AS id
       FROM proposals WHERE dao_number = ? AND source_id = ?`;
    for (const { number, id } of database.all<{ number: number; id: string }>(select, ...key)) {
      if (!records.has(`proposal ${id}`) && !keptProposals.has(id)) {
        database.run("DELETE FROM proposals WHERE proposal_number = ?", number);
      } else if (!records.has(`votes ${id}`) && !keptVotes.has(id)) {
        database.run("DELETE FROM ballots WHERE proposal_number = ?", number);
      }
    }
  };
  return {
    daoNumber,
    memory,
    put(record) {
      switch (record.kind) {
        case "space":
          return void records.set("space", record);
        case "proposal":
          return void records.set(`proposal ${record.proposal.proposalId}`, record);
        case "packed-votes":
          return void records.set(`votes ${record.votes.proposalId}`, record);
        case "delegate-list":
          return void records.set(`delegate list ${record.list.date}`, record);
        case "delegation-events":
          if (record.through === undefined) return void records.set(`events ${records.size}`, record);
          return delegationOf(record.token).keep(record.events, record.through);
      }
    },
    finish() {
      dropUnkept();
      const writer = createRecordWriter(database, ...key);
      for (const record of records.values()) writer.write(record);
      const { fetchNumber, counts } = writer.finish();
      let { logs } = counts;
      for (const delegation of delegations.values()) {
        delegation.settle(fetchedAtMs);
        logs += delegation.keptCount();
      }
      if (newNote !== undefined) database.put("fetch_notes", { daoNumber, sourceId, note: newNote });
      database.run("DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ?", ...key);
      return { fetchNumber, counts: { ...counts, logs } };
    },
    isBallotKept: (id) => keptVotes.has(id) && !records.has(`votes ${id}`),
  };
}
