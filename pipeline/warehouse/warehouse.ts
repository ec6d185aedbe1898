import type { DaoFacts, NameCache } from "../facts/dao-facts.ts";
import type { DailyPoint } from "../facts/days.ts";
import type { Rejection } from "../facts/governance-source.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { OpenSpaceFetch } from "./fetch-writer.ts";
import type { FetchAttempt, FetchRecord, Holding } from "./fetches.ts";

/** The points of past days, once they are old enough to stand; each for the method that made it. */
export interface DailyPointStore {
  /** By date, ascending. */
  read(spaceId: string, methodKey: string): readonly DailyPoint[];
  /** Whether only another method left points. */
  hasOtherMethod(spaceId: string, methodKey: string): boolean;
  /** Drops the points of the days `from` to `to`, both included, whatever method made them. */
  forget(spaceId: string, from: string, to: string): void;
  /** Keeps points over those of the same days, and drops those of every other method; at once, whole or not at all. */
  keep(methodKey: string, points: ReadonlyMap<string, readonly DailyPoint[]>): void;
}

/** The pipeline's memory: one SQLite file. Synchronous; one process writes at a time. */
export interface Warehouse {
  beginSpaceFetch(attempt: FetchAttempt): OpenSpaceFetch;
  /**
   * Confirms the last fetch of a source that is replaced whole, where it is in the state it was in then and nobody has
   * fetched the DAO since; `undefined` where that is not so and it must be read. No fetch may be open.
   */
  confirmFetch(attempt: FetchAttempt & { readonly state: string }): FetchRecord | undefined;
  /** Everything known about one DAO; throws `PipelineError` WAREHOUSE_CORRUPT where a ballot does not match its count or checksum. */
  daoFacts(dao: TrackedDao, registry: Registry): DaoFacts;
  /** The newest fetch of every DAO from every source that was ever tried, by (space_id, source_id). */
  fetchRecords(): readonly FetchRecord[];
  /** What is held of every DAO from every source that ever gave it whole, by (space_id, source_id); a failed fetch later changes nothing. */
  holdings(): readonly Holding[];
  /** The rejected rows of the newest fetches (at most 1,000 of each), by (space_id, source_id), then in order of arrival. */
  rejections(): readonly (Rejection & { readonly spaceId: string; readonly sourceId: string })[];
  /** What was last found out about the names of addresses. */
  readonly names: NameCache;
  readonly dailyPoints: DailyPointStore;
  close(): void;
}
