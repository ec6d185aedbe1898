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
    expect(problemsOf(dao("    snapshot: never\n"))).toEqual([
      expect.stringContaining("daos[0].snapshot: must be one of none"),
    ]);
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

  it("needs no entities", () => {
    expect(parseRegistry("daos: []\n", "registry.yaml")).toEqual({ daos: [], entities: [], imprint: {} });
  });

  it.each([
    { why: "a real world says nothing", text: "invented: false", want: {} },
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

const dao = (lines: string) => `daos:\n  - space_id: x.example\n    name: X\n    category: defi\n${lines}`;
const entity = (id: string, wallets: string, optOut = "publicApiOptOut: false", label = "Somebody") =>
  `  - entity_id: ${id}\n    label: ${label}\n    wallets: [${wallets}]\n    ${optOut}\n`;
const entities = (...texts: string[]) => `daos: []\nentities:\n${texts.join("")}`;

describe("a registry with a problem names line and reason", () => {
  const governor = (change: string) =>
    dao(
      `    governor:\n      chain_id: 1\n      token: "${WALLET}"\n      kind: erc20votes\n      decimals: 18\n      clock: blocknumber\n      first_block: 1\n${change}`,
    );
  it.each([
    ...[
      {
        why: "a publisher without a name",
        text: "publisher: {}",
        want: "publisher.name: is missing: must be text",
      },
      {
        why: "a contact that is neither an address nor a link",
        text: "publisher: { name: Us, contact: ask us }",
        want: "publisher.contact: must be an email address, or a link such as",
      },
      {
        why: "a link that runs in a page",
        text: "publisher: { name: Us, url: 'javascript:alert(1)' }",
        want: "publisher.url: must be a link, such as",
      },
      {
        why: "a contact with a password",
        text: "publisher: { name: Us, contact: 'https://a:b@us.example' }",
        want: "publisher.contact: must be an email address",
      },
      {
        why: "a licence that nobody can find",
        text: "license: { name: Our terms }",
        want: "license.name: must be an identifier such as CC-BY-4.0, or have a `url`",
      },
      {
        why: "a misspelt key",
        text: "publisher: { nmae: Us }",
        want: "publisher.nmae: there is no such key",
      },
      {
        why: "a correction on a day that does not exist",
        text: "corrections: [{ date: 2026-02-30, wrong: A., changed: B. }]",
        want: "corrections[0].date: is not valid here",
      },
      {
        why: "a correction that names a wallet, whose owner may opt out",
        text: `corrections: [{ date: 2026-02-03, wrong: 'Votes of ${WALLET}.', changed: B. }]`,
        want: "corrections[0].wrong: must not contain the address of a wallet",
      },
      {
        why: "a correction of something that is no version",
        text: "corrections: [{ date: 2026-02-03, wrong: A., changed: B., versions: [latest] }]",
        want: "corrections[0].versions[0]: is not valid here",
      },
    ].map(({ text, want, ...row }) => ({
      ...row,
      text: `daos: []\n${text}\n`,
      want: `registry.yaml:2: ${want}`,
    })),
    {
      why: "an unknown category",
      text: dao("").replace("defi", "gaming"),
      want: "registry.yaml:4: daos[0].category: must be one of defi, infrastructure, public_goods, social",
    },
    {
      why: "a space id like a path",
      text: dao("").replace("x.example", "../x"),
      want: "registry.yaml:2: daos[0].space_id: must be lower-case",
    },
    {
      why: "a space id in capitals",
      text: dao("").replace("x.example", "X.eth"),
      want: "registry.yaml:2: daos[0].space_id",
    },
    {
      why: "a space id that YAML takes for a number",
      text: dao("").replace("x.example", "0x10"),
      want: "registry.yaml:2: daos[0].space_id",
    },
    {
      why: "a space twice",
      text: `${dao("")}  - space_id: x.example\n    name: Y\n    category: defi\n`,
      want: 'registry.yaml:5: space_id "x.example" is given twice',
    },
    {
      why: "an empty name",
      text: dao("").replace("name: X", 'name: ""'),
      want: "registry.yaml:3: daos[0].name",
    },
    {
      why: "an unknown key",
      text: dao("    chain: 1\n"),
      want: "registry.yaml:5: daos[0].chain: there is no such key",
    },
    {
      why: "an unknown key at the top",
      text: "daos: []\ndao: []\n",
      want: "registry.yaml:2: dao: there is no such key",
    },
    {
      why: "__proto__",
      text: "daos: []\n__proto__: {a: 1}\n",
      want: "registry.yaml:2: __proto__: there is no such key",
    },
    {
      why: "a key missing",
      text: "daos:\n  - space_id: x.example\n    name: X\n",
      want: "registry.yaml:2: daos[0].category",
    },
    {
      why: "no daos",
      text: "entities: []\n",
      want: "registry.yaml:1: daos: is missing: must be a list (lines that begin with a dash)",
    },
    {
      why: "another list of the hub",
      text: "spaces: some\n",
      want: "registry.yaml:1: spaces: must be one of verified, all",
    },
    {
      why: "a category for no list",
      text: "daos: []\nspaces_category: defi\n",
      want: "registry.yaml:2: spaces_category: needs `spaces`",
    },
    { why: "an empty file", text: "", want: "registry.yaml: the registry: must be a group of keys" },
    {
      why: "a word for a DAO",
      text: "daos:\n  - a.eth",
      want: "registry.yaml:2: daos[0]: must be a group of keys",
    },
    {
      why: "no name",
      text: dao("").replace("    name: X\n", ""),
      want: "registry.yaml:2: daos[0].name: is missing: must be text",
    },
    {
      why: "a number for a name",
      text: dao("").replace("name: X", "name: 7"),
      want: "registry.yaml:3: daos[0].name: must be text",
    },
    {
      why: "a number in quotes",
      text: governor("").replace("decimals: 18", 'decimals: "18"'),
      want: "registry.yaml:9: daos[0].governor.decimals: must be a number",
    },
    {
      why: "half a decimal",
      text: governor("").replace("decimals: 18", "decimals: 1.5"),
      want: "registry.yaml:9: daos[0].governor.decimals: must be a whole number",
    },
    {
      why: "too many decimals",
      text: governor("").replace("decimals: 18", "decimals: 78"),
      want: "registry.yaml:9: daos[0].governor.decimals: must be at most 77",
    },
    {
      why: "a block before the first",
      text: governor("").replace("first_block: 1", "first_block: -1"),
      want: "registry.yaml:11: daos[0].governor.first_block: must be at least 0",
    },
    { why: "a list", text: "- 1\n", want: "registry.yaml:1: the registry" },
    {
      why: "an unquoted token",
      text: governor("").replace(`"${WALLET}"`, WALLET),
      want: "registry.yaml:7: daos[0].governor.token: must be text: put the address in quotes",
    },
    {
      why: "a missing token",
      text: governor("").replace(/\n *token: .*/, ""),
      want: "registry.yaml:5: daos[0].governor.token: is missing: must be text",
    },
    {
      why: "a clock that does not exist",
      text: governor("").replace("blocknumber", "moon"),
      want: "registry.yaml:10: daos[0].governor.clock: must be one of blocknumber, timestamp",
    },
    {
      why: "a delegate by default that is not self",
      text: governor("      default_delegate: bob\n"),
      want: "registry.yaml:12: daos[0].governor.default_delegate: must be one of self",
    },
    {
      why: "a wallet in two entities, spelled otherwise",
      text: entities(
        entity(ID_A, `"${WALLET}"`),
        entity(ID_B, `"${WALLET.replace(/[a-f]/g, (digit) => digit.toUpperCase())}"`),
      ),
      want: `registry.yaml:9: a wallet is given in both ${ID_A} and ${ID_B}`,
    },
    {
      why: "a wallet twice in one entity",
      text: entities(entity(ID_A, `"${WALLET}", "${WALLET}"`)),
      want: `registry.yaml:5: a wallet is given twice in ${ID_A}`,
    },
    {
      why: "an entity twice",
      text: entities(entity(ID_A, `"${WALLET}"`), entity(ID_A, `"${OTHER}"`)),
      want: `registry.yaml:7: entity_id "${ID_A}" is given twice`,
    },
    {
      why: "a bad entity id",
      text: entities(entity("ent_1", `"${WALLET}"`)),
      want: "registry.yaml:3: entities[0].entity_id: must be ent_ and 26",
    },
    {
      why: "no wallet",
      text: entities(entity(ID_A, "")),
      want: "registry.yaml:5: entities[0].wallets: must have at least 1 entries",
    },
    {
      why: "a wallet too short",
      text: entities(entity(ID_A, '"0xab"')),
      want: "registry.yaml:5: entities[0].wallets[0]: must be 0x and 40 hex digits",
    },
    {
      why: "an empty label",
      text: entities(entity(ID_A, `"${WALLET}"`, undefined, '""')),
      want: "registry.yaml:4: entities[0].label",
    },
    {
      why: "a label that hides something",
      text: entities(entity(ID_A, `"${WALLET}"`, undefined, '"A\\u200Bve"')),
      want: "registry.yaml:4: entities[0].label: contains characters that are not published",
    },
    {
      why: "no word on opting out",
      text: entities(entity(ID_A, `"${WALLET}"`, "")),
      want: "registry.yaml:3: entities[0].publicApiOptOut",
    },
    {
      why: "an opt-out misspelt",
      text: entities(entity(ID_A, `"${WALLET}"`, "publicApiOptout: true")),
      want: "registry.yaml:6: entities[0].publicApiOptout: there is no such key",
    },
    {
      why: "an opt-out that is no boolean",
      text: entities(entity(ID_A, `"${WALLET}"`, "publicApiOptOut: yes")),
      want: "registry.yaml:6: entities[0].publicApiOptOut: must be true or false",
    },
    { why: "a key twice", text: "daos: []\ndaos: []\n", want: "registry.yaml:2: Map keys must be unique" },
    { why: "no YAML", text: "daos: [\n", want: "registry.yaml:2: " },
    {
      why: "an alias",
      text: "daos: &all []\nentities: *all\n",
      want: "registry.yaml:2: aliases (*name) are not allowed",
    },
    { why: "a tag", text: "daos: !!js/function 'x'\n", want: "registry.yaml:1: Unresolved tag" },
  ])("$why", ({ text, want }) => {
    const problems = problemsOf(text);
    expect(problems.filter((problem) => problem.startsWith(want))).toHaveLength(1);
    // A wallet in an error would end in a log; zod's own words are for programmers.
    expect(problems.join("\n")).not.toMatch(/0x[0-9a-f]{40}|Invalid|received|expected|Too /i);
  });
});

describe("many problems", () => {
  it("are all listed, by line", () => {
    const text = `${dao("").replace("defi", "gaming").replace("x.example", "../x")}entities:\n${entity(ID_A, `"${WALLET}"`)}${entity(ID_B, `"${OTHER}"`, "optOut: true")}`;
    expect(problemsOf(text).map((problem) => problem.split(":")[1])).toEqual(["2", "4", "10", "13"]);
  });

  it("of an alias bomb are told without unfolding it", () => {
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

const problems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ line: count - index, message: "is wrong" }));

describe("the error of a registry", () => {
  it.each([
    { count: 1, lines: 1, last: "r.yaml:1: is wrong", why: "low" },
    { count: 50, lines: 50, last: "r.yaml:50: is wrong", why: "boundary: all of them fit" },
    { count: 51, lines: 51, last: "… and 1 more", why: "one more than fits" },
    { count: 900, lines: 51, last: "… and 850 more", why: "high: the first lines stand" },
  ])("lists $count problems in $lines lines ($why)", ({ count, lines, last }) => {
    const said = registryInvalid("r.yaml", problems(count)).message.split("\n");
    expect([said.length, said[0], said.at(-1)]).toEqual([lines, "r.yaml:1: is wrong", last]);
  });

  it("names no line where there is none", () =>
    expect(registryInvalid("r.yaml", [{ line: undefined, message: "is not UTF-8" }]).message).toBe(
      "r.yaml: is not UTF-8",
    ));
});
