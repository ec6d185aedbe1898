import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import { commandPaths } from "../../support/command-paths.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { publishFixture } from "../../support/published-set.ts";
import { runGovdata } from "../../support/run-in-process.ts";
import { AS_OF, BELL, makeStands, NOW_MS, type Stand, TOAST } from "./stand.ts";

const { published, root, world } = await makeStands();
const before = published();
const fixture = join(root, "fixture");
const paths = (await commandPaths(runGovdata)).map((path) => path.join(" "));
const ends = paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));

/** Those that print a file of its own format, or need a live hub: tests of their own hold them. */
const HELD_ELSEWHERE = /^((export|report|badge|feed|graph)\b|dao check$)/;

beforeAll(async () => {
  await publishFixture(fixture);
});

describe("--help", () => {
  it.each(paths)("of %s has an example that names it", async (path) => {
    const { code, stdout } = await runGovdata([...path.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout.split("\nExample:\n")[1]).toMatch(new RegExp(`^ .*\\bgovdata ${path}`));
  });
});

const Count = z.int().min(0);
const Moment = z.iso.datetime();
const Finding = z.looseObject({
  severity: z.enum(["refuse", "warn"]),
  code: z.string(),
  message: z.string(),
});
const Points = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("score"), points: z.number() }),
  z.strictObject({ kind: z.literal("gap"), reason: z.string() }),
]);
const Fetched = z.strictObject({
  spaceId: z.string(),
  sourceId: z.string(),
  status: z.enum(["complete", "failed"]),
  fetchedAtMs: z.int(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  proposals: Count,
  ballots: Count,
  votes: Count,
  delegateLists: Count,
  logs: Count,
  rejected: z.record(z.string(), Count),
});
const Published = z.strictObject({
  version: z.string(),
  sequence: Count,
  asOf: Moment,
  daosScored: Count,
  daosUnscored: Count,
  daosFailed: z.array(z.string()),
  filesWritten: Count,
  filesLinked: Count,
  findings: z.array(Finding),
});
const Entity = z.strictObject({
  entityId: z.string(),
  label: z.string(),
  wallets: z.array(z.string()),
  isOptedOut: z.boolean(),
});

interface Line {
  readonly args: (stand: Stand) => readonly string[];
  readonly shape: z.ZodType;
}

const entityOf = () => world.entities.find(({ isOptedOut }) => !isOptedOut)?.entityId ?? "";
const versionOf = ({ snapshots }: Stand) => publishedFiles(snapshots).version;
const show = (...words: readonly string[]) => ["--snapshots", fixture, "show", ...words];
const spaceOf = () =>
  ENVELOPES.daos.shape.data.parse(publishedFiles(fixture).json("daos.json"))[0]?.space_id ?? "";
const entityPublished = () =>
  publishedFiles(fixture)
    .paths.find((path) => path.startsWith("entities/"))
    ?.replace(/^entities\/(.*)\.json$/, "$1") ?? "";

const LINES: Readonly<Record<string, Line>> = {
  init: {
    args: () => ["init"],
    shape: z.strictObject({ home: z.string(), registry: z.string(), registryWasThere: z.boolean() }),
  },
  doctor: {
    args: () => ["doctor"],
    shape: z.strictObject({ worst: z.string(), checks: z.array(z.looseObject({ area: z.string() })).min(1) }),
  },
  fetch: { args: ({ archive }) => ["fetch", "--from", archive], shape: z.array(Fetched).min(2) },
  compute: {
    args: () => ["compute", "--as-of", AS_OF],
    shape: z.strictObject({
      asOf: Moment,
      daos: z
        .array(
          z.strictObject({
            spaceId: z.string(),
            components: z.strictObject({ hpr: Points, dei: Points, pdi: Points, gpi: Points }),
            gvs: Points,
            risk: Points,
            completenessPct: z.number().optional(),
            attentionSum: z.number(),
          }),
        )
        .min(2),
      findings: z.array(Finding),
    }),
  },
  backfill: {
    args: () => ["backfill", BELL, "--from", "2026-10-01", "--to", "2026-10-02"],
    shape: z
      .array(z.strictObject({ spaceId: z.string(), days: Count, scored: Count, changed: Count }))
      .length(1),
  },
  publish: { args: () => ["publish", "--as-of", AS_OF], shape: Published },
  run: {
    args: ({ archive }) => ["run", "--from", archive, "--as-of", AS_OF],
    shape: z.strictObject({
      fetched: z.looseObject({ records: z.array(Fetched), failedCount: Count }),
      published: Published,
    }),
  },
  redact: {
    args: () => ["redact", "--dry-run"],
    shape: z.strictObject({ versions: z.array(z.looseObject({ version: z.string() })), unchanged: Count }),
  },
  verify: {
    args: () => ["verify"],
    shape: z.strictObject({
      version: z.string(),
      sequence: Count,
      files: Count,
      bytes: Count,
      documents: Count,
      problems: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
    }),
  },
  status: {
    args: () => ["status"],
    shape: z.strictObject({
      published: z.strictObject({
        version: z.string(),
        sequence: Count,
        publishedAt: Moment,
        asOf: Moment,
        ageHours: z.number(),
        daosScored: Count,
        daosUnscored: Count,
        findings: Count,
        isSigned: z.boolean(),
        versions: z.array(
          z.strictObject({ version: z.string(), files: Count, ownBytes: Count, sharedBytes: Count }),
        ),
        totalBytes: Count,
      }),
      daos: z.array(z.strictObject({ spaceId: z.string(), record: Fetched.optional() })).min(2),
    }),
  },
  prune: {
    args: () => ["prune", "--dry-run"],
    shape: z.strictObject({
      removed: z.array(z.string()),
      kept: z.array(z.string()),
      freedBytes: Count,
      isDryRun: z.boolean(),
    }),
  },
  rollback: {
    args: () => ["rollback", "previous"],
    shape: z.strictObject({
      version: z.string(),
      sequence: Count,
      asOf: Moment,
      replaces: z.string(),
      removed: z.array(z.string()),
    }),
  },
  "sign-key": {
    args: () => ["sign-key"],
    shape: z.strictObject({ publicKey: z.base64(), isNew: z.boolean() }),
  },
  "show daos": { args: () => show("daos"), shape: ENVELOPES.daos.shape.data },
  "show dao": { args: () => show("dao", spaceOf()), shape: ENVELOPES.dao.shape.data },
  "show risk": { args: () => show("risk", spaceOf()), shape: ENVELOPES.risk.shape.data },
  "show delegates": { args: () => show("delegates", spaceOf()), shape: DelegateListing },
  "show dgi": { args: () => show("dgi"), shape: ENVELOPES.dgi.shape.data },
  "show entity": { args: () => show("entity", entityPublished()), shape: ENVELOPES.entity.shape.data },
  explain: {
    args: () => ["explain", BELL],
    shape: z.looseObject({ evidence: Evidence }),
  },
  recompute: {
    args: () => ["recompute"],
    shape: z.strictObject({
      version: z.string(),
      asOf: Moment,
      methodologyVersion: z.string(),
      problems: z.array(z.unknown()),
      differences: z.array(z.unknown()),
      numbers: Count,
      daos: Count,
    }),
  },
  diff: {
    args: (stand) => ["diff", versionOf(stand), "current"],
    shape: z.looseObject({ from: z.looseObject({}), to: z.looseObject({}), daos: z.array(z.unknown()) }),
  },
  methodology: { args: () => ["methodology"], shape: z.looseObject({ version: z.string() }) },
  "dao list": {
    args: () => ["dao", "list"],
    shape: z.array(z.looseObject({ spaceId: z.string(), name: z.string(), category: z.string() })).min(2),
  },
  "entity list": { args: () => ["entity", "list"], shape: z.array(Entity).min(1) },
  "entity add": {
    args: ({ home }) => [
      "--registry",
      join(home, "registry.yaml"),
      "entity",
      "add",
      "Example Labs",
      `0x${"0".repeat(38)}aa`,
    ],
    shape: Entity,
  },
  "entity opt-out": {
    args: ({ home }) => ["--registry", join(home, "registry.yaml"), "entity", "opt-out", entityOf()],
    shape: z.strictObject({ entity: Entity, isChanged: z.boolean(), isLive: z.boolean() }),
  },
  completion: {
    args: () => ["completion", "bash"],
    shape: z.strictObject({ shell: z.enum(["bash", "zsh", "fish"]), script: z.string() }),
  },
};

async function standFor(name: string): Promise<Stand> {
  const stand = published();
  if (/^entity (add|opt-out)/.test(name)) await stand.govdata(["init"]);
  if (name === "rollback") await stand.govdata(["publish", "--as-of", AS_OF]);
  return stand;
}

const later = { nowMs: () => NOW_MS + 60_000 };

it("every command is tried", () => {
  expect(Object.keys(LINES).sort()).toEqual(ends.filter((path) => !HELD_ELSEWHERE.test(path)).sort());
});

describe("--json prints one line of the documented shape", () => {
  it.each(Object.entries(LINES))("%s", async (name, { args, shape }) => {
    const stand = await standFor(name);
    const end = await stand.govdata(["--json", "-q", "--no-color", ...args(stand)], later);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout.split("\n"), "one line").toHaveLength(2);
    expect(shape.safeParse(JSON.parse(end.stdout)).error).toBeUndefined();
  });
});

describe("a terminal of 80 columns gets lines that fit, and ids whole", () => {
  const TABLES = /^(doctor|fetch|compute|status|show|explain|diff|methodology|dao|entity list)/;
  it.each(Object.entries(LINES).filter(([name]) => TABLES.test(name)))("%s", async (name, { args }) => {
    const { stdout } = await before.govdata(["-q", ...args(before)], { ...later, columns: 80 });
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    if (/^(fetch|compute|status|dao list)$/.test(name))
      expect(stdout).toMatch(new RegExp(`${BELL}[^]*${TOAST}`));
  });

  it("and a pipe gets every column on one line", async () => {
    const { stdout } = await before.govdata(["compute", "--as-of", AS_OF], later);
    expect(stdout).toMatch(/^space .* weight +complete +gaps$/m);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeGreaterThan(80);
  });
});

describe("a slip of the hand", () => {
  it.each([
    { args: ["shwo"], says: "Did you mean show?" },
    { args: ["entity", "lst"], says: "Did you mean list?" },
    { args: ["explain", BELL, "--componant", "dei"], says: "Did you mean --component?" },
    { args: ["status", "--hom", "x"], says: "Did you mean --home?" },
  ])("$args: $says", async ({ args, says }) => {
    expect(await runGovdata(args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(says),
    });
  });
});
