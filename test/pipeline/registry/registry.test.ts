import { describe, expect, it } from "vitest";
import { isPipelineFailure } from "../../../pipeline/facts/errors.ts";
import { registryInvalid } from "../../../pipeline/registry/read-yaml.ts";
import { parseRegistry } from "../../../pipeline/registry/registry.ts";

const WALLET = `0x${"ab".repeat(20)}`;
const OTHER = `0x${"cd".repeat(20)}`;
const ID_A = `ent_${"a".repeat(26)}`;
const ID_B = `ent_${"b".repeat(26)}`;

/** Every line of the error that a registry gives. */
function problemsOf(text: string): string[] {
  try {
    parseRegistry(text, "registry.yaml");
  } catch (error) {
    if (isPipelineFailure(error) && error.code === "REGISTRY_INVALID") return error.message.split("\n");
    throw error;
  }
  return [];
}

const GOOD = `
daos:
  - space_id: "zebra.example"
    name: "Zebra"
    category: social
  - space_id: aardvark.example
    name: Aardvark
    category: public_goods
    governor:
      chain_id: 1
      token: "${WALLET.toUpperCase().replace("0X", "0x")}"
      kind: erc721votes
      decimals: 0
      default_delegate: self
      clock: blocknumber
      first_block: 12985732
entities:
  - entity_id: ${ID_B}
    label: "B & Co"
    wallets: ["${OTHER}"]
    publicApiOptOut: true
  - entity_id: ${ID_A}
    label: A
    wallets:
      - "${WALLET.toUpperCase().replace("0X", "0x")}"
    publicApiOptOut: false
`;

describe("a good registry", () => {
  it("is put in order and in lower case", () => {
    expect(parseRegistry(GOOD, "registry.yaml")).toEqual({
      daos: [
        {
          spaceId: "aardvark.example",
          name: "Aardvark",
          category: "public_goods",
          governor: {
            chainId: 1,
            token: WALLET,
            kind: "erc721votes",
            decimals: 0,
            clock: "blocknumber",
            isSelfByDefault: true,
            firstBlock: 12_985_732,
            governor: undefined,
          },
        },
        { spaceId: "zebra.example", name: "Zebra", category: "social", governor: undefined },
      ],
      entities: [
        { entityId: ID_A, label: "A", wallets: [WALLET], isOptedOut: false },
        { entityId: ID_B, label: "B & Co", wallets: [OTHER], isOptedOut: true },
      ],
      imprint: {},
    });
  });

  it("may say that Snapshot has no space of a DAO", () => {
    const { daos } = parseRegistry(dao("    snapshot: none\n"), "registry.yaml");
    expect(daos).toMatchObject([{ spaceId: "x.example", snapshot: "none" }]);
  });

  it.each([
    ["", ["a.eth", "a.eth.onchain"], "two electorates are two DAOs"],
    ["combine: true", ["a.eth"], "the registry says that they are one"],
    ["snapshot: none", ["a.eth"], "it votes on the chain alone"],
  ])("splits who votes on Snapshot and who votes on the chain: %j", (line, spaceIds, _why) => {
    const dao = `{ space_id: a.eth, name: A, category: defi, onchain: { indexer: eth, space: "${WALLET}" }, ${line} }`;
    const { daos } = parseRegistry(`daos: [${dao}]`, "registry.yaml");
    expect(daos.map(({ spaceId }) => spaceId)).toEqual(spaceIds);
    expect(daos.at(-1)?.onchain).toEqual({ indexer: "eth", space: WALLET });
  });

  it.each([
    ["spaces: verified\n", { list: "verified", category: undefined }],
    ["daos: []\nspaces: all\nspaces_category: social\n", { list: "all", category: "social" }],
  ])("may track the hub's own list: %j", (text, spaces) => {
    expect(parseRegistry(text, "registry.yaml")).toEqual({ daos: [], entities: [], imprint: {}, spaces });
  });

  it.each([
    { why: "nothing of a real world", text: "invented: false", want: {} },
    { why: "an invented world", text: "invented: true", want: { invented: true } },
    {
      why: "a publisher by name alone",
      text: "publisher: { name: Us }",
      want: { contributors: [{ title: "Us", role: "publisher" }] },
    },
    {
      why: "a publisher with an address to write to",
      text: "publisher: { name: Us, url: https://us.example, contact: errors@us.example }",
      want: {
        contributors: [
          { title: "Us", role: "publisher", path: "https://us.example/", email: "errors@us.example" },
        ],
      },
    },
    {
      why: "errors are reported on a page",
      text: "publisher: { name: Us, contact: https://us.example/errors }",
      want: { contributors: [{ title: "Us", role: "publisher", contact: "https://us.example/errors" }] },
    },
    {
      why: "a licence by its identifier",
      text: "license: { name: CC0-1.0 }",
      want: { licenses: [{ name: "CC0-1.0" }] },
    },
    {
      why: "terms of one's own",
      text: "license: { name: Our terms, url: https://us.example/terms }",
      want: { licenses: [{ title: "Our terms", path: "https://us.example/terms" }] },
    },
  ])("says who publishes, and never what nobody has said: $why", ({ text, want }) => {
    expect(parseRegistry(`daos: []\n${text}\n`, "registry.yaml").imprint).toEqual(want);
  });
});

const dao = (lines = "") => `daos:\n  - space_id: x.example\n    name: X\n    category: defi\n${lines}`;
const changed = (before: string, after: string) => dao().replace(before, after);
const governed = (before: string | RegExp, after: string, lines = "") =>
  dao(`    governor:
      chain_id: 1
      token: "${WALLET}"
      kind: erc20votes
      decimals: 18
      clock: blocknumber
      first_block: 1
${lines}`).replace(before, after);
const entity = (id: string, wallets: string, optOut = "publicApiOptOut: false", label = "Somebody") =>
  `  - entity_id: ${id}\n    label: ${label}\n    wallets: [${wallets}]\n    ${optOut}\n`;
const entities = (...texts: string[]) => `daos: []\nentities:\n${texts.join("")}`;
const labelled = (label: string) => entities(entity(ID_A, `"${WALLET}"`, undefined, label));
const optOut = (line: string) => entities(entity(ID_A, `"${WALLET}"`, line));
const publishing = (line: string) => `daos: []\n${line}\n`;
const correcting = (fields: string) => publishing(`corrections: [{ date: 2026-02-03, ${fields} }]`);
const IN_CAPITALS = WALLET.replace(/[a-f]/g, (digit) => digit.toUpperCase());

/** What is wrong, the registry, and the beginning of the problem's line. */
const INVALID: readonly (readonly [why: string, text: string, problem: string])[] = [
  ["a publisher without a name", publishing("publisher: {}"), "2: publisher.name: is missing: must be text"],
  [
    "a contact that is neither an address nor a link",
    publishing("publisher: { name: Us, contact: ask us }"),
    "2: publisher.contact: must be an email address, or a link such as",
  ],
  [
    "a link that runs in a page",
    publishing("publisher: { name: Us, url: 'javascript:alert(1)' }"),
    "2: publisher.url: must be a link, such as",
  ],
  [
    "a contact with a password",
    publishing("publisher: { name: Us, contact: 'https://a:b@us.example' }"),
    "2: publisher.contact: must be an email address",
  ],
  [
    "a licence that nobody can find",
    publishing("license: { name: Our terms }"),
    "2: license.name: must be an identifier such as CC-BY-4.0, or have a `url`",
  ],
  ["a misspelt key", publishing("publisher: { nmae: Us }"), "2: publisher.nmae: there is no such key"],
  [
    "a correction on a day that does not exist",
    publishing("corrections: [{ date: 2026-02-30, wrong: A., changed: B. }]"),
    "2: corrections[0].date: is not valid here",
  ],
  [
    "a correction that names a wallet, whose owner may opt out",
    correcting(`wrong: 'Votes of ${WALLET}.', changed: B.`),
    "2: corrections[0].wrong: must not contain the address of a wallet",
  ],
  [
    "a correction of something that is no version",
    correcting("wrong: A., changed: B., versions: [latest]"),
    "2: corrections[0].versions[0]: is not valid here",
  ],
  [
    "an unknown category",
    changed("defi", "gaming"),
    "4: daos[0].category: must be one of defi, infrastructure, public_goods, social",
  ],
  ["a space id like a path", changed("x.example", "../x"), "2: daos[0].space_id: must be lower-case"],
  ["a space id that is a number in YAML", changed("x.example", "0x10"), "2: daos[0].space_id: must be text"],
  [
    "a space twice",
    `${dao()}  - space_id: x.example\n    name: Y\n    category: defi\n`,
    '5: space_id "x.example" is given twice',
  ],
  ["an empty name", changed("name: X", 'name: ""'), "3: daos[0].name: must have at least 1 characters"],
  [
    "a name that ends with a space",
    changed("name: X", 'name: "X "'),
    "3: daos[0].name: must not begin or end",
  ],
  ["no name", changed("    name: X\n", ""), "2: daos[0].name: is missing: must be text"],
  ["a number for a name", changed("name: X", "name: 7"), "3: daos[0].name: must be text"],
  ["an unknown key", dao("    chain: 1\n"), "5: daos[0].chain: there is no such key"],
  ["an unknown key at the top", "daos: []\ndao: []\n", "2: dao: there is no such key"],
  ["__proto__", "daos: []\n__proto__: {a: 1}\n", "2: __proto__: there is no such key"],
  ["no daos", "entities: []\n", "1: daos: is missing: must be a list (lines that begin with a dash)"],
  ["another list of the hub", "spaces: some\n", "1: spaces: must be one of verified, all"],
  ["a category for no list", publishing("spaces_category: defi"), "2: spaces_category: needs `spaces`"],
  ["a word for a DAO", "daos:\n  - a.eth", "2: daos[0]: must be a group of keys"],
  ["a list", "- 1\n", "1: the registry: must be a group of keys"],
  ["a snapshot that is not none", dao("    snapshot: never\n"), "5: daos[0].snapshot: must be one of none"],
  [
    "a number in quotes",
    governed("decimals: 18", 'decimals: "18"'),
    "9: daos[0].governor.decimals: must be a number",
  ],
  [
    "a fraction of decimals",
    governed("decimals: 18", "decimals: 1.5"),
    "9: daos[0].governor.decimals: must be a whole number",
  ],
  [
    "too many decimals",
    governed("decimals: 18", "decimals: 78"),
    "9: daos[0].governor.decimals: must be at most 77",
  ],
  [
    "a block before the first",
    governed("first_block: 1", "first_block: -1"),
    "11: daos[0].governor.first_block: must be at least 0",
  ],
  [
    "an unquoted token",
    governed(`"${WALLET}"`, WALLET),
    "7: daos[0].governor.token: must be text: put the address in quotes",
  ],
  ["a missing token", governed(/\n *token: .*/, ""), "5: daos[0].governor.token: is missing: must be text"],
  [
    "a delegate by default that is not self",
    governed("", "", "      default_delegate: bob\n"),
    "12: daos[0].governor.default_delegate: must be one of self",
  ],
  [
    "a wallet in two entities, in other letters",
    entities(entity(ID_A, `"${WALLET}"`), entity(ID_B, `"${IN_CAPITALS}"`)),
    `9: a wallet is given in both ${ID_A} and ${ID_B}`,
  ],
  [
    "a wallet twice in one entity",
    entities(entity(ID_A, `"${WALLET}", "${WALLET}"`)),
    `5: a wallet is given twice in ${ID_A}`,
  ],
  [
    "an entity twice",
    entities(entity(ID_A, `"${WALLET}"`), entity(ID_A, `"${OTHER}"`)),
    `7: entity_id "${ID_A}" is given twice`,
  ],
  [
    "an invalid entity id",
    entities(entity("ent_1", `"${WALLET}"`)),
    "3: entities[0].entity_id: must be ent_ and 26",
  ],
  ["no wallet", entities(entity(ID_A, "")), "5: entities[0].wallets: must have at least 1 entries"],
  [
    "a wallet too short",
    entities(entity(ID_A, '"0xab"')),
    "5: entities[0].wallets[0]: must be 0x and 40 hex digits",
  ],
  ["an empty label", labelled('""'), "4: entities[0].label: must have at least 1 characters"],
  [
    "a label with hidden characters",
    labelled('"A\\u200Bve"'),
    "4: entities[0].label: contains characters that are not published",
  ],
  ["no word on opting out", optOut(""), "3: entities[0].publicApiOptOut: is missing: must be true or false"],
  [
    "a misspelt opt-out",
    optOut("publicApiOptout: true"),
    "6: entities[0].publicApiOptout: there is no such key",
  ],
  [
    "an opt-out that is no boolean",
    optOut("publicApiOptOut: yes"),
    "6: entities[0].publicApiOptOut: must be true",
  ],
  ["a key twice", "daos: []\ndaos: []\n", "2: Map keys must be unique"],
  ["no YAML", "daos: [\n", "2: "],
  ["an alias", "daos: &all []\nentities: *all\n", "2: aliases (*name) are not allowed"],
  ["a tag", "daos: !!js/function 'x'\n", "1: Unresolved tag"],
];

describe("a problem of a registry", () => {
  it.each(INVALID)("has a line and a reason: %s", (_why, text, problem) => {
    const problems = problemsOf(text);
    expect(problems.filter((line) => line.startsWith(`registry.yaml:${problem}`))).toHaveLength(1);
    // A wallet in an error would end in a log; zod's own messages are for programmers.
    expect(problems.join("\n")).not.toMatch(/0x[0-9a-f]{40}|Invalid|received|expected|Too /i);
  });

  it("of a file has no line", () => {
    expect(problemsOf("")).toEqual(["registry.yaml: the registry: must be a group of keys"]);
  });
});

describe("many problems", () => {
  it("are all listed, by line", () => {
    const text = `${changed("defi", "gaming").replace("x.example", "../x")}entities:\n${entity(ID_A, `"${WALLET}"`)}${entity(ID_B, `"${OTHER}"`, "optOut: true")}`;
    expect(problemsOf(text).map((problem) => problem.split(":")[1])).toEqual(["2", "4", "10", "13"]);
  });

  it("of an alias bomb are listed without expanding it", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let n = 1; n < 12; n += 1)
      lines.push(
        `a${n}: &a${n} [${Array(9)
          .fill(`*a${n - 1}`)
          .join(", ")}]`,
      );
    expect(problemsOf(lines.join("\n")).at(-1)).toBe("… and 49 more");
  });
});

it.each([
  { why: "low", count: 1, lines: 1, last: "r.yaml:1: is wrong" },
  { why: "boundary: all of them fit", count: 50, lines: 50, last: "r.yaml:50: is wrong" },
  { why: "one more than fits", count: 51, lines: 51, last: "… and 1 more" },
  { why: "high", count: 900, lines: 51, last: "… and 850 more" },
])("the error of a registry lists $count problems in $lines lines: $why", ({ count, lines, last }) => {
  const problems = Array.from({ length: count }, (_, index) => ({
    line: count - index,
    message: "is wrong",
  }));
  const listed = registryInvalid("r.yaml", problems).message.split("\n");
  expect([listed.length, listed[0], listed.at(-1)]).toEqual([lines, "r.yaml:1: is wrong", last]);
});
