import type { z } from "zod";
import type { FictionalEntity } from "../../../fixtures/world/entities.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import type { PublishedFiles } from "../published-files.ts";

/** What a caller must get: a refusal with its code, or an answer made of a published file. */
export type Promised =
  | { readonly status: 400 | 403 | 404 | 405; readonly code: string }
  | {
      readonly status: 200;
      readonly shape: z.ZodType;
      /** The text of `data`, to the byte. */
      readonly data: string;
      readonly meta: object;
      readonly isEntity: boolean;
    };

/** One request, and what Free and the higher tiers must get for it. */
export interface JourneyRequest {
  readonly why: string;
  readonly path: string;
  readonly method?: "POST" | "PUT" | "DELETE" | "PATCH";
  readonly free: Promised;
  readonly pro: Promised;
}

/** Needs a higher tier. */
export const TIER_INSUFFICIENT: Promised = { status: 403, code: "TIER_INSUFFICIENT" };
/** Not to be understood. */
export const INVALID_PARAMETER: Promised = { status: 400, code: "INVALID_PARAMETER" };
/** Not there, or not to be told. */
export const NOT_FOUND: Promised = { status: 404, code: "NOT_FOUND" };
/** Only reading is offered. */
export const METHOD_NOT_ALLOWED: Promised = { status: 405, code: "METHOD_NOT_ALLOWED" };

/** A request that is answered alike on every tier. */
export const sameForAll = (why: string, path: string, promised: Promised): JourneyRequest => ({
  why,
  path,
  free: promised,
  pro: promised,
});
/** A request that Free may not make. */
export const proOnly = (why: string, path: string, promised: Promised): JourneyRequest => ({
  why,
  path,
  free: TIER_INSUFFICIENT,
  pro: promised,
});

/** What the requests are made from: the published files, and what is known of the world behind them. */
export interface JourneySubjects {
  readonly published: PublishedFiles;
  readonly entities: readonly FictionalEntity[];
}

/** `meta` of an answer as of the run. */
export function metaOf(published: PublishedFiles): { methodology_version: string; as_of: string } {
  const { methodology_version, as_of } = published.json("manifest.json") as Manifest;
  return { methodology_version, as_of };
}

/** The text of a file as it stands in `data`: without its final newline. */
export const textOf = (published: PublishedFiles, path: string) =>
  published.bytes(path).toString("utf8").trimEnd();
