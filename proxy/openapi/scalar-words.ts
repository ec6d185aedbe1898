/** What is said of one schema, and of each of its properties. */
export interface SchemaWords {
  readonly description: string;
  readonly example?: string | number;
  readonly properties?: Readonly<Record<string, string>>;
}

/** The words of the shapes that are one value, each with a fictional example. */
export const SCALAR_WORDS = {
  SpaceId: { description: "Identifies a DAO.", example: "tidewater.example" },
  EntityId: {
    description: "Identifies an entity: `ent_` and 26 characters.",
    example: "ent_01h0000000000000000000000a",
  },
  WalletAddress: {
    description: "An EVM address in lower case.",
    example: "0x00000000000000000000000000000000000000a1",
  },
  Date: { description: "A day (UTC).", example: "2026-03-30" },
  Timestamp: {
    description: "A moment: ISO 8601 UTC with milliseconds.",
    example: "2026-03-31T23:59:59.999Z",
  },
  VersionName: { description: "A published version.", example: "20260401T010000Z-9dab89c3" },
  MethodologyVersion: { description: "Version of the method.", example: "2.0.0" },
  ReasonCode: { description: "A stable code.", example: "SNAPSHOT_STALE" },
  Text: { description: "A name, without control characters.", example: "Tidewater" },
  Score: { description: "A score of 0 to 10, two decimals.", example: 7.25 },
  ScoreDelta: { description: "A change of a score, two decimals.", example: -0.25 },
  Percent: { description: "0 to 100, two decimals.", example: 12.5 },
  RoundedShare: { description: "0 to 1, two decimals.", example: 0.75 },
  IndicatorId: { description: "An indicator of the method.", example: "not_batch" },
  RiskScore: { description: "0 to 100, one decimal.", example: 41.5 },
  Count: { description: "A whole number of things.", example: 12 },
  Rank: { description: "A place, from 1.", example: 1 },
} as const satisfies Readonly<Record<string, SchemaWords>>;
