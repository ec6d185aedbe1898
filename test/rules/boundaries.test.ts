import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { cruise, type IConfiguration, type ICruiseResult } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = join(import.meta.dirname, "../..");
const config: IConfiguration = createRequire(import.meta.url)(join(project, ".dependency-cruiser.cjs"));
const ruleNames = (config.forbidden ?? []).map((rule) => rule.name ?? "");

/** The smallest break of each rule: a file, and what it imports against the rule (a file of ours or a package). */
const CANARIES: readonly { readonly rule: string; readonly from: string; readonly to: string }[] = [
  { rule: "floor-snapshots-base", from: "snapshots/base/a.ts", to: "snapshots/format/b.ts" },
  { rule: "one-door-to-sqlite", from: "pipeline/warehouse/a.ts", to: "better-sqlite3" },
  { rule: "floor-snapshots-format", from: "snapshots/format/a.ts", to: "snapshots/store/b.ts" },
  { rule: "outside-snapshots-format", from: "snapshots/format/a.ts", to: "node:fs" },
  { rule: "floor-snapshots-optouts", from: "snapshots/optouts/a.ts", to: "snapshots/store/b.ts" },
  { rule: "floor-snapshots-store", from: "snapshots/store/a.ts", to: "pipeline/facts/b.ts" },
  { rule: "floor-snapshots-store-read", from: "snapshots/store/read/a.ts", to: "snapshots/store/write/b.ts" },
  {
    rule: "floor-snapshots-store-write",
    from: "snapshots/store/write/a.ts",
    to: "snapshots/store/maintain/b.ts",
  },
  { rule: "floor-snapshots-remote", from: "snapshots/remote/a.ts", to: "snapshots/optouts/b.ts" },
  { rule: "remote-alone-calls", from: "snapshots/store/a.ts", to: "undici" },
  { rule: "floor-pipeline-facts", from: "pipeline/facts/a.ts", to: "pipeline/score/b.ts" },
  { rule: "outside-pipeline-facts", from: "pipeline/facts/a.ts", to: "zod" },
  { rule: "floor-pipeline-score", from: "pipeline/score/a.ts", to: "pipeline/sources/archive/b.ts" },
  { rule: "outside-pipeline-score", from: "pipeline/score/a.ts", to: "node:fs" },
  { rule: "floor-pipeline-documents", from: "pipeline/documents/a.ts", to: "pipeline/warehouse/b.ts" },
  { rule: "outside-pipeline-documents", from: "pipeline/documents/a.ts", to: "node:fs" },
  { rule: "floor-pipeline-recompute", from: "pipeline/recompute/a.ts", to: "pipeline/gate/b.ts" },
  { rule: "outside-pipeline-recompute", from: "pipeline/recompute/a.ts", to: "node:fs" },
  { rule: "floor-pipeline-gate", from: "pipeline/gate/a.ts", to: "pipeline/score/b.ts" },
  { rule: "outside-pipeline-gate", from: "pipeline/gate/a.ts", to: "node:fs" },
  { rule: "floor-pipeline-registry", from: "pipeline/registry/a.ts", to: "pipeline/warehouse/b.ts" },
  { rule: "floor-pipeline-sources", from: "pipeline/sources/archive/a.ts", to: "pipeline/score/b.ts" },
  { rule: "floor-pipeline-warehouse", from: "pipeline/warehouse/a.ts", to: "pipeline/score/b.ts" },
  { rule: "floor-pipeline-home", from: "pipeline/home/a.ts", to: "pipeline/score/b.ts" },
  { rule: "floor-pipeline-tools", from: "pipeline/tools/a.ts", to: "pipeline/stages/b.ts" },
  {
    rule: "floor-pipeline-tools-explain",
    from: "pipeline/tools/explain/a.ts",
    to: "pipeline/tools/compare/b.ts",
  },
  {
    rule: "floor-pipeline-tools-compare",
    from: "pipeline/tools/compare/a.ts",
    to: "pipeline/tools/explain/b.ts",
  },
  {
    rule: "floor-pipeline-tools-recompute",
    from: "pipeline/tools/recompute/a.ts",
    to: "pipeline/warehouse/b.ts",
  },
  { rule: "floor-pipeline-tools-graph", from: "pipeline/tools/graph/a.ts", to: "pipeline/score/b.ts" },
  { rule: "floor-pipeline-tools-show", from: "pipeline/tools/show/a.ts", to: "pipeline/score/b.ts" },
  {
    rule: "floor-pipeline-tools-export",
    from: "pipeline/tools/export/a.ts",
    to: "pipeline/tools/explain/b.ts",
  },
  { rule: "floor-pipeline-tools-mcp", from: "pipeline/tools/mcp/a.ts", to: "pipeline/tools/report/b.ts" },
  { rule: "floor-pipeline-tools-report", from: "pipeline/tools/report/a.ts", to: "pipeline/tools/show/b.ts" },
  { rule: "core-without-tools", from: "pipeline/cli/a.ts", to: "pipeline/tools/explain/b.ts" },
  { rule: "floor-pipeline-stages", from: "pipeline/stages/a.ts", to: "pipeline/tools/report/b.ts" },
  { rule: "floor-pipeline-upkeep", from: "pipeline/upkeep/a.ts", to: "pipeline/stages/b.ts" },
  { rule: "floor-pipeline-cli", from: "pipeline/cli/a.ts", to: "pipeline/score/b.ts" },
  { rule: "proxy-without-pipeline", from: "proxy/a.ts", to: "pipeline/facts/b.ts" },
  { rule: "no-way-back", from: "pipeline/stages/a.ts", to: "proxy/b.ts" },
  { rule: "snapshots-alone", from: "snapshots/a.ts", to: "proxy/b.ts" },
  { rule: "fleet-behind-two-doors", from: "proxy/server/a.ts", to: "proxy/fleet/b.ts" },
  { rule: "floor-proxy-fleet-redis", from: "proxy/fleet/redis/a.ts", to: "proxy/quota/b.ts" },
  { rule: "packages-of-the-proxy", from: "proxy/a.ts", to: "marked" },
  { rule: "redis-behind-one-link", from: "proxy/quota/a.ts", to: "ioredis" },
  { rule: "floor-proxy-keys", from: "proxy/keys/a.ts", to: "proxy/quota/b.ts" },
  { rule: "floor-proxy-quota", from: "proxy/quota/a.ts", to: "proxy/keys/b.ts" },
  { rule: "floor-proxy-snapshot", from: "proxy/snapshot/a.ts", to: "proxy/routes/b.ts" },
  { rule: "floor-proxy-request", from: "proxy/request/a.ts", to: "proxy/routes/b.ts" },
  { rule: "floor-proxy-routes", from: "proxy/routes/a.ts", to: "proxy/keys/b.ts" },
  { rule: "floor-proxy-observe", from: "proxy/observe/a.ts", to: "proxy/keys/b.ts" },
  { rule: "floor-proxy-openapi", from: "proxy/openapi/a.ts", to: "proxy/keys/b.ts" },
  { rule: "one-door-out", from: "pipeline/warehouse/a.ts", to: "node:http" },
  { rule: "load-on-demand", from: "pipeline/cli/a.ts", to: "pipeline/stages/b.ts" },
  { rule: "demo-as-a-person", from: "fixtures/demo.ts", to: "pipeline/facts/b.ts" },
  { rule: "no-test-in-source", from: "pipeline/facts/a.ts", to: "test/b.ts" },
  { rule: "no-cycle", from: "pipeline/facts/a.ts", to: "pipeline/facts/a-again.ts" },
  { rule: "resolvable", from: "pipeline/facts/a.ts", to: "pipeline/facts/nothing-here.ts" },
  { rule: "no-orphan", from: "pipeline/facts/a.ts", to: "" },
];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "govdata-canary-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The canaries lie side by side in one tree, so each has files named after its rule. */
function planted({ rule, from, to }: (typeof CANARIES)[number]): {
  readonly from: string;
  readonly to: string;
} {
  const canary = (path: string): string => path.replace(/\b[ab](-again)?\.ts$/, `${rule}$&`);
  return { from: canary(from), to: canary(to) };
}

function specifier(from: string, to: string): string {
  if (!to.includes("/")) return to;
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** A tree in which every rule is broken once, with the project's packages and settings. */
function plant(): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const canary of CANARIES) {
    const { from, to } = planted(canary);
    write(from, to === "" ? "export {};\n" : `import "${specifier(from, to)}";\n`);
    const back = canary.rule === "no-cycle" ? `import "${specifier(to, from)}";\n` : "export {};\n";
    if (to.includes("/") && canary.rule !== "resolvable") write(to, back);
  }
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  symlinkSync(join(project, "package.json"), join(root, "package.json"));
}

async function check(tree: string, folders: readonly string[]): Promise<ICruiseResult> {
  const { output } = await cruise(
    [...folders],
    { ...config.options, ruleSet: { forbidden: config.forbidden ?? [] }, validate: true, baseDir: tree },
    undefined,
    { tsConfig: extractTSConfig(join(project, "tsconfig.json")) },
  );
  if (typeof output === "string") throw new Error("the checker answered text instead of findings");
  return output;
}

describe("boundaries", () => {
  it("has a canary for every rule", () => {
    expect(CANARIES.map((canary) => canary.rule).sort()).toEqual([...ruleNames].sort());
  });

  it("sees every canary", async () => {
    plant();
    const { summary } = await check(root, ["pipeline", "proxy", "snapshots", "fixtures"]);
    // Either file of a cycle may be the one that is named; both bear the rule's name.
    const seen = new Set(
      summary.violations
        .filter(({ rule, from }) => from.includes(`/${rule.name}`) || from.endsWith("/demo.ts"))
        .map(({ rule }) => rule.name),
    );
    expect(ruleNames.filter((rule) => !seen.has(rule))).toEqual([]);
  });

  it("holds in the project itself, and the checker has seen it", async () => {
    const { summary } = await check(project, ["pipeline", "proxy", "snapshots", "fixtures"]);
    expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
    // A checker that sees nothing finds nothing: one that cannot read TypeScript stays below this.
    expect(summary.totalCruised).toBeGreaterThan(150);
  });
});
