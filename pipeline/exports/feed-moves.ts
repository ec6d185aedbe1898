import { createHash } from "node:crypto";
import type { DaoChange } from "./report/report-data.ts";

/** What one version changed of the one before it. */
export interface FeedStep {
  readonly sequence: number;
  readonly createdAt: string;
  readonly asOf: string;
  /** The strongest changes first. */
  readonly daos: readonly DaoChange[];
}

/** One score that moved: what anybody may see of it, and an id that stays. */
export interface FeedMove extends Omit<DaoChange, "riskBefore" | "riskAfter"> {
  readonly id: string;
  readonly sequence: number;
  readonly asOf: string;
}

/** A URN made of some words alone (RFC 9562, version 8). */
export function stableUrn(...words: readonly string[]): string {
  const bytes = createHash("sha256").update(JSON.stringify(words)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join("-")}`;
}

/**
 * The moves of these steps in their order. The id is of the DAO and of the version's time, which a redaction keeps and a
 * rollback does not: an entry that a reader has seen does not come again. A sequence would not do, as the current version
 * gets a new one when it is redacted. What has no score on either side is no move.
 */
export function movesOf(steps: readonly FeedStep[]): readonly FeedMove[] {
  return steps.flatMap(({ sequence, createdAt, asOf, daos }) =>
    daos
      .filter(({ fate, gvsBefore, gvsAfter }) =>
        fate === "moved" ? gvsBefore !== gvsAfter : gvsBefore !== undefined || gvsAfter !== undefined,
      )
      .map(({ riskBefore: _riskBefore, riskAfter: _riskAfter, ...told }) => ({
        id: stableUrn("govdata move", createdAt, told.spaceId),
        sequence,
        asOf,
        ...told,
      })),
  );
}
