import { createHash, createHmac } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { createOnce, writeNew } from "../../../../snapshots/base/durable-files.ts";
import type { Row } from "../../../documents/columns.ts";
import { invariant, pipelineFailure } from "../../../facts/errors.ts";
import type { Registry } from "../../../facts/tracked.ts";
import { homeFile, inHome, makeHome } from "../../../home/home.ts";
import type { Settings } from "../../../home/settings.ts";
import type { WarehouseView } from "../../../warehouse/warehouse-reader.ts";

/** Bytes of a pseudonym: enough that no two among a billion collide. */
const PSEUDONYM_BYTES = 16;

export type Pseudonyms = ReturnType<typeof createPseudonyms>;

/**
 * Creates pseudonyms under a secret. A plain hash would not protect anybody: addresses are public, and
 * hashing all of them takes an hour. A wallet of an entity differs from others only in its person id, which
 * is no wallet's own.
 */
export function createPseudonyms(secret: Uint8Array) {
  // A prefix for each kind keeps ids of different kinds distinct.
  const digest = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  /** 32 bytes of a wallet: its voter id, and its person id if it belongs to no entity. */
  const digestOf = (address: string): Buffer => digest(`wallet ${address}`);
  /** The last 16 bytes of a digest: an entity's person id. */
  const entityBytes = (entityId: string): Buffer => digest(`entity ${entityId}`).subarray(PSEUDONYM_BYTES);
  return {
    /** Identifies the secret without revealing it. */
    keyId: createHash("sha256").update(digest("key")).digest("hex").slice(0, 16),
    digestOf,
    entityBytes,
    voterIdOf: (address: string): string => digestOf(address).toString("hex", 0, PSEUDONYM_BYTES),
    /** The id of an account in delegation data; not its voter id, because listings contain addresses. */
    accountIdOf: (address: string): string =>
      digest(`account ${address}`).toString("hex", 0, PSEUDONYM_BYTES),
    /** The person id of a wallet, or of its entity. */
    personIdOf: (address: string, entityId: string | undefined): string =>
      (entityId === undefined ? digestOf(address).subarray(PSEUDONYM_BYTES) : entityBytes(entityId)).toString(
        "hex",
      ),
  };
}

/** A voter's pseudonym, then that of the person. */
const BYTES = 2 * PSEUDONYM_BYTES;
/** The most bytes that fit into a number; voters with equal prefixes are ordered by number. */
const RANKED_BYTES = 6;

/** The pseudonyms of all voters of a warehouse, at 41 bytes each, because there may be millions. */
export type NamedVoters = ReturnType<typeof nameVoters>;

/** Computes the pseudonyms of all voters; wallets of an entity share the entity's person id. */
export function nameVoters(
  view: Pick<WarehouseView, "votersCount" | "eachVoter" | "entityIdOfVoter">,
  registry: Registry,
  pseudonyms: Pseudonyms,
) {
  const count = view.votersCount();
  const names = Buffer.alloc((count + 1) * BYTES);
  const isExported = new Uint8Array(count + 1);
  view.eachVoter((address, voterNumber) => {
    pseudonyms.digestOf(address).copy(names, voterNumber * BYTES);
  });
  const entityIdOfVoter = view.entityIdOfVoter(registry);
  for (const [voterNumber, entityId] of entityIdOfVoter) {
    pseudonyms.entityBytes(entityId).copy(names, voterNumber * BYTES + PSEUDONYM_BYTES);
  }
  const order = inOrder(names, count);
  const ranks = new Uint32Array(count + 1);
  for (const [rank, voterNumber] of order.entries()) ranks[voterNumber] = rank;
  const voterId = (voterNumber: number): string =>
    names.toString("hex", voterNumber * BYTES, voterNumber * BYTES + PSEUDONYM_BYTES);
  const personId = (voterNumber: number): string =>
    names.toString("hex", voterNumber * BYTES + PSEUDONYM_BYTES, (voterNumber + 1) * BYTES);
  return {
    /** The pseudonym of a voter, who is then part of the export. */
    voterIdOf(voterNumber: number): string {
      invariant(voterNumber > 0 && voterNumber <= count, "the voter of a vote is in the warehouse");
      isExported[voterNumber] = 1;
      return voterId(voterNumber);
    },
    /**
     * Position of a voter in the order of pseudonyms. Rows must have this order only: sources list voters by address, and
     * the warehouse numbers them in that order, so any other order would reveal voters to anybody who has the addresses.
     */
    rankOf: (voterNumber: number): number => ranks[voterNumber] ?? 0,
    /** The rows of `voters`: all voters passed to `voterIdOf`, by pseudonym. */
    *rows(): Generator<Row> {
      for (const voterNumber of order) {
        if (isExported[voterNumber] !== 0)
          yield [voterId(voterNumber), personId(voterNumber), entityIdOfVoter.has(voterNumber)];
      }
    },
  };
}

/** Voter numbers from 1, in the order of their pseudonyms. */
function inOrder(names: Buffer, count: number): Uint32Array {
  const keys = Float64Array.from({ length: count + 1 }, (_, voterNumber) =>
    names.readUIntBE(voterNumber * BYTES, RANKED_BYTES),
  );
  const order = Uint32Array.from({ length: count }, (_, index) => index + 1);
  return order.sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0) || one - other);
}

const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}\n$/;

const OTHERS_MASK = 0o077;

/** The key, if the home has one. An unusable key is never replaced: all pseudonyms would silently change. */
function readKey(path: string): Uint8Array | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if ((stat.mode & OTHERS_MASK) !== 0) {
    throw pipelineFailure("HOME_INVALID", `${basename(path)} in the home is readable by others`, {
      hint: `Anyone who read it can identify every voter in your exports: delete it to get a new one, or \`chmod 600\` it if nobody did.`,
    });
  }
  const text = readFileSync(path, "latin1");
  if (KEY_TEXT.test(text)) return Buffer.from(text.trimEnd(), "hex");
  throw pipelineFailure("HOME_INVALID", `${basename(path)} in the home is not a key`, {
    hint: "Restore the right file, or delete it: a new key gives voters other pseudonyms.",
  });
}

/** The home's secret for pseudonyms, created if missing; never published. Throws `HOME_INVALID`. */
export function pseudonymKey(settings: Settings, randomBytes: (count: number) => Uint8Array): Uint8Array {
  const path = homeFile(settings, "pseudonymKey");
  return inHome(settings, () => {
    const existing = readKey(path);
    if (existing !== undefined) return existing;
    makeHome(settings);
    const key = Buffer.from(randomBytes(KEY_BYTES));
    createOnce(path, (draft) => writeNew(draft, `${key.toString("hex")}\n`));
    const kept = readKey(path);
    if (kept !== undefined) return kept;
    throw pipelineFailure("HOME_INVALID", `${basename(path)} has disappeared`);
  });
}
