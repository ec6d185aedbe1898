// The floors of the house, as a machine can check them. Every rule says why to the person who broke it;
// every rule has a canary in test/rules/ that must fail. A floor may import itself, the floors named here, and nothing else.

const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** Code of our own; what lies elsewhere is a package or a part of Node. */
const OURS = "^(pipeline|proxy|snapshots|fixtures)/";

/** `folder` may import only these of our own folders. */
const floor = (folder, allowed, why) =>
  rule(
    `floor-${folder.replaceAll("/", "-")}`,
    why,
    { path: `^${folder}/` },
    { path: OURS, pathNot: [folder, ...allowed].map((name) => `^${name}/`) },
  );

/** `folder` may use only these packages and parts of Node. */
const outside = (folder, allowed, why) =>
  rule(
    `outside-${folder.replaceAll("/", "-")}`,
    why,
    { path: `^${folder}/` },
    { pathNot: [OURS, ...allowed.map((name) => `^(node_modules/)?(@types/)?${name}(/|$)`)] },
  );

const PURE = "Computes from arguments: no disk, network, clock or randomness may be reached from here.";
const format = "snapshots/format";
const base = "pipeline/base";
const facts = "pipeline/facts";
const score = "pipeline/score";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    floor(format, [], "The published format depends on zod and nothing else of ours."),
    outside(format, ["zod", "crypto"], "The published format must be readable with zod and a hash alone."),
    floor("snapshots/optouts", [format], "Who opted out is asked by both programs, and knows neither."),
    floor(
      "snapshots/store",
      [format, "snapshots/optouts"],
      "The store knows nothing of scores and nothing of HTTP.",
    ),
    floor(
      "snapshots/remote",
      [format, "snapshots/store"],
      "Carrying versions to other machines and back: what they are and how they are verified lies in store/.",
    ),
    rule(
      "remote-alone-calls",
      "Only snapshots/remote talks to the network for versions; disk code must work with the cable out.",
      { path: "^(snapshots/(?!remote/)|proxy/)" },
      { path: "(^|/)(undici|@aws-sdk|@smithy)/" },
    ),
    floor(base, [], "The lowest floor of the pipeline imports nothing."),
    outside(base, [], PURE),
    floor(facts, [base, format], "Facts are what sources and scores share; they know neither."),
    outside(facts, [], PURE),
    floor(
      score,
      [facts, base, format],
      "Scores never meet sources: they judge facts, whoever collected them.",
    ),
    outside(score, [], PURE),
    floor(
      "pipeline/documents",
      [facts, score, base, format],
      "Documents are made of facts and scores alone.",
    ),
    outside("pipeline/documents", [], PURE),
    floor(
      "pipeline/gate",
      [base, format],
      "A gate compares what would be published with what was, and nothing else.",
    ),
    outside("pipeline/gate", [], PURE),
    floor(
      "pipeline/registry",
      [facts, base, format],
      "The registry says what we track; it fetches and scores nothing.",
    ),
    floor(
      "pipeline/sources",
      [facts, base],
      "Sources collect; they never see a score, a document or the warehouse.",
    ),
    floor("pipeline/warehouse", [facts, base], "The warehouse remembers facts; it never judges them."),
    floor(
      "pipeline/exports",
      ["snapshots", base],
      "Exports are made from a published version, as any reader could.",
    ),
    rule(
      "run-below-cli",
      "run/ is called by cli/ and never the other way.",
      { path: "^pipeline/(?!cli/)" },
      { path: "^pipeline/cli/" },
    ),
    rule(
      "stages-below-run",
      "Only cli/ may call run/: a stage does not start a run.",
      { path: "^pipeline/(?!cli/|run/)" },
      { path: "^pipeline/run/" },
    ),
    floor("pipeline/cli", ["pipeline/run", base], "Commands parse, call run/ and print."),
    rule(
      "proxy-without-pipeline",
      "The proxy must start and serve with pipeline/ deleted.",
      { path: "^proxy/" },
      { path: "^pipeline/" },
    ),
    rule(
      "no-way-back",
      "Data moves from the pipeline to the proxy, never the other way.",
      { path: "^pipeline/" },
      { path: "^proxy/" },
    ),
    rule(
      "snapshots-alone",
      "The seam knows neither of its two users.",
      { path: "^snapshots/" },
      { path: "^(pipeline|proxy)/" },
    ),
    floor("proxy/http", [format], "Errors, envelope and parsing know nothing of keys or snapshots."),
    floor(
      "proxy/redis",
      ["proxy/http", format],
      "The link to Redis carries calls; it does not know what for.",
    ),
    rule(
      "redis-behind-one-link",
      "Only proxy/redis knows the client: timeouts, and that nothing is tried twice, are decided there.",
      { path: OURS, pathNot: "^proxy/redis/" },
      { path: "(^|/)ioredis(/|$)" },
    ),
    floor("proxy/keys", ["proxy/http", "proxy/redis", format], "Keys know nothing of what they open."),
    floor("proxy/quota", ["proxy/http", "proxy/redis", format], "The counter counts; it does not know what."),
    floor("proxy/snapshot", ["snapshots"], "Documents come out of the snapshot, for whoever asks."),
    floor(
      "proxy/access",
      ["proxy/http", "proxy/keys", "proxy/quota", format],
      "Who asks, and how much is left: nothing about documents.",
    ),
    floor(
      "proxy/observe",
      ["proxy/http", "proxy/snapshot", "snapshots"],
      "What is counted and logged is told, never asked for a decision.",
    ),
    floor(
      "proxy/wire",
      ["proxy/http", "proxy/observe", format],
      "The wire knows requests and answers, and nothing of what they are about.",
    ),
    floor(
      "proxy/fast-path",
      ["proxy/access", "proxy/http", "proxy/observe", "proxy/snapshot", "snapshots"],
      "It repeats answers; it never makes one.",
    ),
    floor("proxy/docs", ["proxy/http", "snapshots"], "The pages about the API know nothing of who asks."),
    floor(
      "proxy/openapi",
      ["proxy/routes", "proxy/docs", "proxy/http", "proxy/snapshot", "proxy/access", "snapshots"],
      "The description is made of the route table and the shapes.",
    ),
    floor(
      "proxy/routes",
      ["proxy/http", "proxy/access", "proxy/snapshot", "snapshots"],
      "An endpoint answers; keys and counters are behind access/.",
    ),
    rule(
      "one-door-out",
      "Only sources/http talks to the network; retries and limits live there.",
      { path: "^pipeline/(?!sources/http/)" },
      { path: "^(node_modules/undici/|(http|https|http2|net|tls|dgram|dns)$)" },
    ),
    rule(
      "demo-as-a-person",
      "The demo runs the two programs as a person would; it imports neither.",
      { path: "^fixtures/demo" },
      { path: "^(pipeline|proxy|snapshots)/" },
    ),
    rule("no-test-in-source", "Source never depends on tests.", { path: OURS }, { path: "^test/" }),
    rule("no-cycle", "A cycle means two modules are one module.", {}, { circular: true }),
    rule(
      "resolvable",
      "An import that does not resolve is checked by nobody.",
      {},
      { couldNotResolve: true },
    ),
    rule(
      "no-orphan",
      "Nothing imports this file: delete it.",
      { orphan: true, path: OURS, pathNot: "/(main|demo)\\.ts$" },
      {},
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "require", "types"],
    },
  },
};
