import { z } from "zod";
import { DelegateListing, DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import { Correction } from "../../../snapshots/format/imprint.ts";
import { ProposalLine } from "../../../snapshots/format/proposal-line.ts";

const Count = z.int().min(0);
const Moment = z.iso.datetime();
const fieldsOf = <Shape extends z.ZodType>(shape: Shape, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, shape]));
const counts = (...names: readonly string[]) => fieldsOf(Count, names);
const texts = (...names: readonly string[]) => fieldsOf(z.string(), names);
const Finding = z.looseObject({ severity: z.enum(["refuse", "warn"]), ...texts("code", "message") });
const Interval = z.strictObject({ low: z.number(), point: z.number(), high: z.number() });
/** An interval whose point is missing where a DAO has no score. */
const Span = z.strictObject({ low: z.number(), point: z.number().optional(), high: z.number() });
const Fetched = z.strictObject({
  ...texts("spaceId", "sourceId"),
  status: z.enum(["complete", "failed"]),
  fetchedAtMs: z.int(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  ...counts("proposals", "ballots", "votes", "delegateLists", "logs"),
  rejected: z.record(z.string(), Count),
});
const Published = z.strictObject({
  version: z.string(),
  sequence: Count,
  asOf: Moment,
  ...counts("daosScored", "daosUnscored"),
  daosFailed: z.array(z.string()),
  ...counts("filesWritten", "filesLinked"),
  findings: z.array(Finding),
  stages: z.array(
    z.strictObject({
      stage: z.string(),
      wallMs: z.number().min(0),
      processorMs: z.number().min(0).optional(),
      bytes: Count.optional(),
    }),
  ),
});
const Pushed = z.strictObject({
  to: z.string(),
  kind: z.enum(["pushed", "unchanged"]),
  version: z.string(),
  ...counts("sequence", "files", "bytes", "skipped"),
});
const Uploaded = z.discriminatedUnion("kind", [
  Pushed.extend({ removed: z.array(z.string()) }),
  z.strictObject({ to: z.string(), kind: z.literal("failed"), code: z.string(), message: z.string() }),
]);
const Entity = z.strictObject({
  ...texts("entityId", "label"),
  wallets: z.array(z.string()),
  isOptedOut: z.boolean(),
});
const Problem = z.strictObject({ path: z.string(), code: z.string(), message: z.string() });
const Side = z.looseObject({ version: z.string(), asOf: Moment });

/** Shapes that several commands print, by the name that the documents give them. */
export const SHARED_SHAPES = {
  interval: Interval,
  span: Span,
  finding: Finding,
  problem: Problem,
  "fetch record": Fetched,
  upload: Uploaded,
  publication: Published,
} as const;

/** What each command prints with `--json`; README says the same in words, held to this by a test. */
export const JSON_SHAPES: Readonly<Record<string, z.ZodType>> = {
  init: z.strictObject({
    ...texts("home", "registry"),
    registryWasThere: z.boolean(),
    isOpenToOthers: z.boolean(),
  }),
  doctor: z.strictObject({
    worst: z.string(),
    checks: z
      .array(
        z.strictObject({
          area: z.string(),
          verdict: z.enum(["ok", "warn", "fail"]),
          message: z.string(),
          next: z.string().optional(),
        }),
      )
      .min(1),
  }),
  fetch: z.array(Fetched).min(2),
  compute: z.strictObject({
    asOf: Moment,
    daos: z
      .array(
        z.strictObject({
          spaceId: z.string(),
          components: z.strictObject({ hpr: Interval, dei: Interval, pdi: Interval, gpi: Interval }),
          gvs: Interval,
          unscored: z.string().optional(),
          risk: Interval.optional(),
          knownShare: z.number().min(0).max(1),
          presence: z.tuple([z.number(), z.number()]),
          notKnown: z.array(z.string()),
          completenessPct: z.number().optional(),
          concentration: z
            .strictObject({
              // `null` if any number of votes may be missing.
              majorityVoters: Interval.extend({ high: z.number().nullable() }),
              hhiPoints: Interval,
              gini: Interval,
            })
            .optional(),
        }),
      )
      .min(2),
    findings: z.array(Finding),
  }),
  backfill: z
    .array(z.strictObject({ spaceId: z.string(), days: Count, scored: Count, changed: Count }))
    .length(1),
  publish: Published.extend({ uploaded: Uploaded.optional() }),
  run: z.strictObject({
    fetched: z.strictObject({
      records: z.array(Fetched),
      ...counts("failedCount", "bytes"),
      traffic: z.array(
        z.strictObject({
          sourceId: z.string(),
          ...counts("requests", "retries", "bytes", "rateLimited"),
          // With a key that has a limit.
          keyRemaining: Count.optional(),
        }),
      ),
      names: z
        .strictObject({
          hasNode: z.boolean(),
          ...counts("asked", "found", "without", "failed", "skipped"),
        })
        .optional(),
    }),
    published: Published,
    uploaded: Uploaded.optional(),
  }),
  push: Pushed,
  pull: z.strictObject({
    from: z.string(),
    kind: z.enum(["pulled", "unchanged"]),
    version: z.string(),
    ...counts("sequence", "files", "bytes", "linked", "kept"),
  }),
  redact: z.strictObject({
    versions: z.array(
      z.strictObject({
        version: z.string(),
        replacedBy: z.string().optional(),
        ...counts("entitiesDropped", "filesChanged", "filesLinked"),
        isSigned: z.boolean(),
      }),
    ),
    unchanged: Count,
    unredacted: z.array(z.strictObject({ version: z.string(), isCurrent: z.boolean(), message: z.string() })),
    uploaded: Uploaded.optional(),
  }),
  repair: z.strictObject({
    pointerWas: z.enum(["whole", "missing", "damaged", "old"]),
    version: z.string(),
    ...counts("sequence", "files"),
    problems: z.array(Problem),
    unreadable: z.array(z.string()),
  }),
  verify: z.strictObject({
    version: z.string(),
    ...counts("sequence", "files", "bytes", "documents"),
    problems: z.array(Problem),
  }),
  status: z.strictObject({
    lastRun: z
      .strictObject({ endedAt: Moment, error: z.string().nullable(), gates: z.array(z.string()) })
      .optional(),
    nextRun: z.strictObject({ isRunning: z.boolean(), startsAt: Moment, endsAt: Moment }).optional(),
    registry: z.strictObject({ file: z.string(), origin: z.enum(["named", "home", "curated"]) }),
    published: z.strictObject({
      version: z.string(),
      sequence: Count,
      publishedAt: Moment,
      asOf: Moment,
      ageHours: z.number(),
      ...counts("daosScored", "daosUnscored", "daosTracked", "findings"),
      isSigned: z.boolean(),
      versions: z.array(
        z.strictObject({ version: z.string(), files: Count, ownBytes: Count, sharedBytes: Count }),
      ),
      totalBytes: Count,
    }),
    daos: z.array(z.strictObject({ spaceId: z.string(), record: Fetched.optional() })).min(2),
  }),
  prune: z.strictObject({
    removed: z.array(z.string()),
    kept: z.array(z.string()),
    freedBytes: Count,
    isDryRun: z.boolean(),
  }),
  rollback: z.strictObject({
    version: z.string(),
    sequence: Count,
    asOf: Moment,
    replaces: z.string(),
    removed: z.array(z.string()),
    uploaded: Uploaded.optional(),
  }),
  "sign-key": z.strictObject({
    publicKey: z.string().regex(/^([a-z0-9-]+:)?[A-Za-z0-9+/]+=*$/),
    isNew: z.boolean(),
  }),
  "show daos": ENVELOPES.daos.shape.data,
  "show dao": ENVELOPES.dao.shape.data,
  "show risk": ENVELOPES.risk.shape.data,
  "show delegates": DelegateListing,
  "show dgi": ENVELOPES.dgi.shape.data,
  "show entity": ENVELOPES.entity.shape.data,
  explain: z.strictObject({ evidence: Evidence, proposals: z.array(ProposalLine) }),
  compare: z.strictObject({
    version: z.string(),
    asOf: Moment,
    methodologyVersion: z.string(),
    ranked: Count,
    daos: z
      .array(
        z.strictObject({
          ...texts("spaceId", "name"),
          unscored: z.strictObject({ code: z.string(), message: z.string() }).optional(),
          gvs: Span,
          rank: z.strictObject({ rank: Count, best: Count, worst: Count }).optional(),
          components: z
            .array(
              Span.extend({
                ...texts("key", "name"),
                indicators: z.array(
                  z.strictObject({ id: z.string(), isKnown: z.boolean(), low: z.number(), high: z.number() }),
                ),
              }),
            )
            .length(4),
          risk: Span.optional(),
          knownShare: z.number(),
          proposals: Count,
          fetchedAt: Moment.optional(),
        }),
      )
      .length(2),
    pairs: z
      .array(
        z.strictObject({
          ...texts("a", "b"),
          verdict: z.enum(["ahead", "behind", "unclear", "incomparable"]),
          sentence: z.string(),
          unknowns: z.array(
            z.strictObject({ spaceId: z.string(), id: z.string(), points: z.number(), gap: z.string() }),
          ),
          gvs: Span,
          components: z.array(
            Span.extend({
              key: z.string(),
              gvsPoints: z.number().optional(),
              indicators: z.array(z.strictObject({ id: z.string(), low: z.number(), high: z.number() })),
            }),
          ),
          risk: Span.optional(),
        }),
      )
      .length(1),
  }),
  recompute: z.strictObject({
    version: z.string(),
    asOf: Moment,
    methodologyVersion: z.string(),
    problems: z.array(Problem),
    differences: z.array(
      z.strictObject({ path: z.string(), published: z.unknown(), recomputed: z.unknown() }),
    ),
    ...counts("numbers", "daos"),
  }),
  diff: z.strictObject({
    from: Side,
    to: Side,
    constants: z.array(z.unknown()),
    daos: z.array(z.looseObject({ spaceId: z.string() })),
    ...counts("hidden", "unchanged"),
  }),
  feed: z.strictObject({
    version: z.string(),
    asOf: Moment,
    moves: z.array(
      z.strictObject({
        id: z.string(),
        sequence: Count,
        asOf: Moment,
        ...texts("spaceId", "name"),
        fate: z.enum(["appeared", "vanished", "scored", "unscored", "moved"]),
        gvsBefore: z.number().optional(),
        gvsAfter: z.number().optional(),
        interval: z.array(z.number()).length(2).optional(),
        rankBefore: Count.optional(),
        rankAfter: Count.optional(),
        mostly: z.string().optional(),
      }),
    ),
    // Of the file, where there is one.
    file: z.string().optional(),
    bytes: Count.optional(),
    sha256: z.string().optional(),
  }),
  graph: DelegationGraph,
  report: z.strictObject({ version: z.string(), asOf: Moment, isFull: z.boolean(), files: Count }),
  badge: z.strictObject({ schemaVersion: z.literal(1), ...texts("label", "message", "color") }),
  export: z.strictObject({
    ...texts("file", "dataset"),
    format: z.enum(["csv", "ndjson", "parquet"]),
    versions: z.array(z.string()),
    ...counts("rows", "bytes"),
    sha256: z.string(),
  }),
  methodology: z.looseObject({ version: z.string() }),
  "dao list": z
    .array(z.looseObject({ ...texts("spaceId", "name", "category"), governor: z.unknown().optional() }))
    .min(2),
  "dao check": z.array(
    z.strictObject({
      ...texts("spaceId", "name", "part"),
      status: z.enum(["same", "renamed", "differs", "missing", "failed", "not-checked"]),
      detail: z.string().optional(),
    }),
  ),
  "entity list": z.array(Entity).min(1),
  "entity add": Entity,
  "entity opt-out": z.strictObject({ entity: Entity, isChanged: z.boolean(), isLive: z.boolean() }),
  correct: Correction,
  completion: z.strictObject({
    program: z.literal("govdata"),
    shell: z.enum(["bash", "zsh", "fish"]),
    script: z.string(),
  }),
};
