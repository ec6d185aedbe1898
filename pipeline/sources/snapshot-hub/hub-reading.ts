import type { SpaceSink } from "../../facts/space-sink.ts";
import type { HubDoor } from "./ask-hub.ts";

/** What a hub said, as it said it: enough to write an archive from (votes with the reason's text left out). */
export interface HubObject {
  readonly kind: "space" | "proposal" | "vote";
  readonly spaceId: string;
  readonly object: unknown;
}

/** One DAO's fetch: where from, where to, and how much at a time. */
export interface HubReading {
  readonly door: HubDoor;
  readonly spaceId: string;
  readonly sink: SpaceSink;
  readonly pageSize: number;
  readonly nowMs: number;
  /** What is held counts for nothing. */
  readonly isFull: boolean;
  readonly record: (object: HubObject) => void;
}
