// The floors of the house, as a machine can check them. Every rule says why to the person who broke it;
// every rule has a canary in test/rules/ that must fail. A floor may import itself, the floors named here, and nothing else.

const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** Code of our own; what lies elsewhere is a package or a part of Node. */
const OURS = "^(pipeline|proxy|snapshots|fixtures)/";

/** Floors that reach nothing outside, not even through the base. */
const PURE_FLOORS = new Set([
  "snapshots/format",
  ...["facts", "score", "documents", "recompute", "gate"].map((name) => `pipeline/${name}`),
]);

/** The parts of the base that compute from arguments alone. */
const PURE_BASE = ["failure", "days", "plain-text"].map((name) => `snapshots/base/${name}.ts`);

/** What a floor may import without naming it. */
const freeFor = (folder) => (PURE_FLOORS.has(folder) ? PURE_BASE : ["snapshots/base"]);

/** `folder` may import only these of our own folders or files, and the files that match `also`. */
const floor = (folder, allowed, why, also = []) =>
  rule(
    `floor-${folder.replaceAll("/", "-")}`,
    why,
    { path: `^${folder}/` },
    {
      path: OURS,
      pathNot: [...[folder, ...allowed, ...freeFor(folder)].map((name) => `^${name}(/|$)`), ...also],
    },
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
/** The errors that a command or a start tells its operator. */
const OPERATOR = "proxy/operator-error.ts";
const DATABASE = "proxy/open-database.ts";
const format = "snapshots/format";
const facts = "pipeline/facts";
const score = "pipeline/score";

/** With what these bring, 94 of the 165 packages of an install. The others serve `pipeline/` alone. */
const PROXY_PACKAGES = [
  "@aws-sdk/client-s3",
  "better-sqlite3",
  "commander",
  "csv-stringify",
  "fastify",
  "ioredis",
  "lru-cache",
  "p-map",
  "pino",
  "prom-client",
  "undici",
  "zod",
];

/** The one file of constants that commands print. */
const METHODOLOGY = "pipeline/score/method/methodology.ts";

/** The one table of gates, of which `--allow` names some. */
const GATE_RULES = "pipeline/gate/gate-rules.ts";

/** What commands may import at once: these import next to nothing themselves. */
const LIGHT = "^(pipeline/(home/atomic-write|tools/(spell|tool-options|export/choices)))\\.ts$";

/** What a command is made of; each tool has its commands beside what they run. */
const FRAME = ["pipeline/cli/options", "pipeline/cli/terminal/exit-codes.ts"];

/** Files beside the tools, for all of them. */
const TOOL_FILES = ["^pipeline/tools/[a-z-]+\\.ts$"];

/** What each tool may import beside facts, the home, the frame of a command and the published format. */
const TOOLS = [
  ["explain", [score, "pipeline/documents"], "Explains a published score by the method that made it."],
  ["compare", [score, "pipeline/documents"], "Compares published versions by the method that made them."],
  ["recompute", [score, "pipeline/recompute"], "Opens a version for the floor that derives it again."],
  ["graph", [], "Draws the published delegation graph."],
  ["show", [], "Prints published documents as they are."],
  [
    "export",
    [score, "pipeline/documents", "pipeline/warehouse"],
    "Writes what is published, and the facts behind it, as tables.",
  ],
  [
    "report",
    [score, "pipeline/documents", ...["explain", "compare", "graph"].map((name) => `pipeline/tools/${name}`)],
    "Lays out what explain, compare and graph find.",
  ],
  [
    "mcp",
    [score, ...["show", "explain", "compare"].map((name) => `pipeline/tools/${name}`)],
    "Answers with what show, explain and compare find.",
  ],
];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    floor("snapshots/base", [], "The base serves every room and knows none."),
    rule(
      "one-door-to-sqlite",
      "Only snapshots/base/sqlite.ts knows which package opens SQLite on this Node.",
      { path: OURS, pathNot: "^snapshots/base/sqlite\\.ts$" },
      { path: "(^|/)(@types/)?better-sqlite3(-12)?(/|$)" },
    ),
    floor(format, [], "The published format depends on zod and nothing else of ours."),
    outside(format, ["zod", "crypto"], "The published format must be readable with zod and a hash alone."),
    floor("snapshots/optouts", [format], "Who opted out is asked by both programs, and knows neither."),
    floor(
      "snapshots/store",
      [format, "snapshots/optouts"],
      "The store knows nothing of scores and nothing of HTTP.",
    ),
    floor(
      "snapshots/store/read",
      [format, "snapshots/optouts"],
      "Reading a version must work without the code that writes one.",
    ),
    floor(
      "snapshots/store/write",
      [format, "snapshots/optouts", "snapshots/store/read"],
      "Writing a version reads it back; maintaining versions comes on top.",
    ),
    floor(
      "snapshots/remote",
      [format, "snapshots/store"],
      "Carries versions to other machines and back; store/ knows what a version is.",
    ),
    rule(
      "remote-alone-calls",
      "Only snapshots/remote talks to the network for versions; disk code must work with the cable out.",
      { path: "^(snapshots/(?!remote/)|proxy/)" },
      { path: "(^|/)(undici|@aws-sdk|@smithy)/" },
    ),
    floor(facts, [format], "Facts are what sources and scores share; they know neither."),
    outside(facts, [], PURE),
    floor(score, [facts, format], "Scores never meet sources: they judge facts, whoever collected them."),
    outside(score, [], PURE),
    floor("pipeline/documents", [facts, score, format], "Documents are made of facts and scores alone."),
    outside("pipeline/documents", [], PURE),
    floor(
      "pipeline/recompute",
      [facts, score, "pipeline/documents", format],
      "Derives published numbers again from the evidence alone, with the code that made them.",
    ),
    outside("pipeline/recompute", ["util"], PURE),
    floor(
      "pipeline/gate",
      [facts, "pipeline/recompute", format],
      "A gate compares what would be published with what was, and nothing else.",
    ),
    outside("pipeline/gate", [], PURE),
    floor(
      "pipeline/registry",
      [facts, format],
      "The registry says what we track; it fetches and scores nothing.",
    ),
    floor(
      "pipeline/sources",
      [facts],
      "Sources collect; they never see a score, a document or the warehouse.",
    ),
    floor("pipeline/warehouse", [facts], "The warehouse remembers facts; it never judges them."),
    floor(
      "pipeline/home",
      [facts, "pipeline/registry", "pipeline/warehouse", "snapshots"],
      "The home opens what lies in it; what is done with it is decided above.",
    ),
    ...TOOLS.map(([tool, also, why]) =>
      floor(
        `pipeline/tools/${tool}`,
        [facts, "pipeline/home", ...FRAME, "snapshots", ...also],
        why,
        TOOL_FILES,
      ),
    ),
    floor(
      "pipeline/tools",
      [
        ...["home", "documents", "recompute", "warehouse"].map((name) => `pipeline/${name}`),
        ...[facts, score, ...FRAME, "snapshots"],
      ],
      "A tool takes a published version; it starts no stage and keeps nothing up.",
    ),
    floor(
      "pipeline/stages",
      [
        ...["home", "registry", "sources", "warehouse", "documents", "recompute", "gate"].map(
          (name) => `pipeline/${name}`,
        ),
        ...[facts, score, "snapshots"],
      ],
      "Stages run the floors below in order, and no tool.",
    ),
    floor(
      "pipeline/upkeep",
      [
        ...["home", "registry", "sources", "warehouse", "gate"].map((name) => `pipeline/${name}`),
        ...[facts, "snapshots"],
      ],
      "What an operator does to a home or its versions; it computes no score and makes no document.",
    ),
    floor(
      "pipeline/cli",
      [
        ...["stages", "upkeep", "home"].map((name) => `pipeline/${name}`),
        ...[facts, format],
        ...[METHODOLOGY, GATE_RULES],
      ],
      "Commands parse options, call one function and print. Of score and gate they read the constants alone.",
    ),
    rule(
      "core-without-tools",
      "The core runs with pipeline/tools deleted: the program looks for their list of commands.",
      { path: OURS, pathNot: "^pipeline/tools/" },
      { path: "^pipeline/tools/" },
    ),
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
    rule(
      "fleet-behind-two-doors",
      "One machine needs nothing of proxy/fleet: the command line lists its commands, and open-stores.ts chooses its stores.",
      { path: "^proxy/(?!fleet/)", pathNot: "^proxy/(cli|server/open-stores)\\.ts$" },
      { path: "^proxy/fleet/" },
    ),
    floor(
      "proxy/fleet/redis",
      [OPERATOR, format],
      "The link to Redis carries calls; it does not know what for.",
    ),
    rule(
      "packages-of-the-proxy",
      "The proxy holds keys and faces callers: whoever can change a package that it loads can do what it can. Add one on purpose.",
      { path: "^(proxy|snapshots)/" },
      {
        path: "(^|/)node_modules/",
        pathNot: `(^|/)node_modules/(@types/)?(${PROXY_PACKAGES.join("|")})(/|$)`,
      },
    ),
    rule(
      "redis-behind-one-link",
      "Only proxy/fleet/redis knows the client: timeouts, and that nothing is tried twice, are decided there.",
      { path: OURS, pathNot: "^proxy/fleet/redis/" },
      { path: "(^|/)ioredis(/|$)" },
    ),
    floor("proxy/keys", [OPERATOR, DATABASE, format], "Keys know nothing of what they open."),
    floor("proxy/quota", [OPERATOR, DATABASE, format], "The counter counts; it does not know what."),
    floor("proxy/snapshot", ["snapshots"], "Documents come out of the snapshot, for whoever asks."),
    floor(
      "proxy/request",
      ["proxy/keys", "proxy/quota", "proxy/snapshot", "snapshots"],
      "The one order of checks knows keys, quota and the version, and no endpoint by name.",
    ),
    floor(
      "proxy/routes",
      ["proxy/request", "proxy/snapshot", "snapshots"],
      "An endpoint is shape, words and rule; keys and counters are behind request/.",
    ),
    floor(
      "proxy/openapi",
      ["proxy/routes", "proxy/request", "proxy/snapshot", "snapshots"],
      "The description is made of the route table and the shapes.",
    ),
    floor(
      "proxy/observe",
      ["proxy/request", "proxy/snapshot", "snapshots"],
      "What is counted and logged is told, never asked for a decision.",
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
    rule(
      "load-on-demand",
      "A command loads what it runs when it runs; otherwise every --help would load all of it.",
      {
        path: "^(pipeline/cli/|pipeline/tools/(commands|.*-command|tool-options)\\.ts|proxy/(cli\\.ts|commands/|fleet/fleet-commands\\.ts))",
      },
      {
        path: "^(pipeline/(stages|tools|upkeep|home)/|proxy/(server|observe|openapi)/|proxy/fleet/(?!fleet-commands))",
        pathNot: [LIGHT, "-command\\.ts$"],
        dynamic: false,
        dependencyTypesNot: ["type-only"],
      },
    ),
    rule(
      "no-test-in-source",
      "Source never depends on tests; benches use their stand-ins.",
      { path: OURS, pathNot: "^fixtures/bench/" },
      { path: "^test/" },
    ),
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
      { orphan: true, path: OURS, pathNot: "/((main|demo)\\.ts|ranking\\.js)$" },
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
