import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addCorrection, addEntity, setOptOut } from "../../../pipeline/registry/edit-entities.ts";
import { parseRegistry } from "../../../pipeline/registry/registry.ts";

const FILE = "registry.yaml";
const WALLET = `0x${"ab".repeat(20)}`;
const OTHER = `0x${"cd".repeat(20)}`;
const THIRD = `0x${"ef".repeat(20)}`;
/** Ids follow from labels. */
const KNOWN = "ent_dgmeuq37gggyuszd724lt2gjtg";
const NEW = "ent_evtihbivr27vpgr34mcqxp4iyq";

/** A registry as a person keeps it: comments everywhere, an order of its own, a long line, two ways of quoting. */
const KEPT = `# ours, do not sort
daos:
  # the one we like
  - space_id: zebra.example # last by name, first here
    name: 'Zebra'
    category: social

  - space_id: "aardvark.example"
    name: "Aardvark, whose name goes on and on so that a writer which folds lines would break it in two"
    category: defi
entities:
  # asked us by mail
  - entity_id: ${KNOWN}
    label: "Known" # as they write it
    wallets:
      - "${WALLET}" # cold
    publicApiOptOut: false # since spring
  # the end
`;

const curated = readFileSync(new URL("../../../pipeline/registry/registry.yaml", import.meta.url), "utf8");

describe("addCorrection", () => {
  const correction = {
    date: "2026-04-02",
    wrong: 'Votes: of March # were counted "twice".',
    changed: "They are counted once.",
    versions: ["20260401T010000Z-9dab89c3"],
  };

  it("appends at the end and leaves every other line as it was", () => {
    const { text } = addCorrection(KEPT, FILE, correction);
    expect(text.startsWith(KEPT.trimEnd())).toBe(true);
    const again = addCorrection(text, FILE, { ...correction, date: "2026-04-03" }).text;
    expect(again.startsWith(text)).toBe(true);
    expect(parseRegistry(again, FILE).corrections).toEqual([
      correction,
      { ...correction, date: "2026-04-03" },
    ]);
  });

  it.each([
    { why: "an empty sentence", change: { wrong: "" }, want: "wrong: must have at least 1 characters" },
    { why: "a line of its own", change: { changed: "a\nb" }, want: "changed: contains characters" },
  ])("refuses $why", ({ change, want }) => {
    const message = expect.stringContaining(`corrections[0].${want}`);
    expect(() => addCorrection(KEPT, FILE, { ...correction, ...change })).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message }),
    );
  });
});

describe("addEntity", () => {
  it("adds at the end and leaves every other line as it was", () => {
    const { text, entity } = addEntity(KEPT, FILE, { label: "New & Co", wallets: [OTHER, THIRD] });
    const lines = `  - entity_id: ${NEW}
    label: "New & Co"
    wallets:
      - "${OTHER}"
      - "${THIRD}"
    publicApiOptOut: false
`;
    expect(text).toContain(lines);
    expect(text.replace(lines, "")).toBe(KEPT);
    const expected = { entityId: NEW, label: "New & Co", wallets: [OTHER, THIRD], isOptedOut: false };
    expect(entity).toEqual(expected);
    const inCurated = addEntity(curated, FILE, { label: "New & Co", wallets: [OTHER] }).text;
    expect(inCurated.startsWith(curated)).toBe(true);
    expect(inCurated.slice(curated.length).split("\n")).toHaveLength(6);
  });

  it.each([
    { why: "an empty list", text: "daos: []\nentities: []\n" },
    { why: "no list at all", text: "daos: []\n" },
    {
      why: "a list in one line",
      text: `daos: []\nentities: [{entity_id: ${KNOWN}, label: A, wallets: ["${WALLET}"], publicApiOptOut: true}]\n`,
    },
  ])("adds to $why", ({ why, text }) => {
    const before = parseRegistry(text, FILE).entities;
    const added = addEntity(text, FILE, { label: "New", wallets: [OTHER] });
    const after = parseRegistry(added.text, FILE).entities;
    expect(added.text).toContain(why === "a list in one line" ? "[ {" : "\n  - entity_id");
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(expect.arrayContaining([...before]));
  });

  it.each([
    { why: "a label that is there", label: "Known", wallets: [OTHER], message: "is given twice" },
    { why: "a wallet of another entity", label: "New", wallets: [WALLET], message: "is given in both" },
  ])("refuses what the registry would be refused for: $why", ({ label, wallets, message }) => {
    expect(() => addEntity(KEPT, FILE, { label, wallets })).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: expect.stringContaining(message) }),
    );
  });

  it("refuses to edit what is no registry", () => {
    const refusal = { code: "REGISTRY_INVALID", message: expect.stringContaining("registry.yaml:1") };
    expect(() => addEntity("daos: 5\n", FILE, { label: "New", wallets: [OTHER] })).toThrow(
      expect.objectContaining(refusal),
    );
  });

  it("writes any label so that it reads back the same, and moves nobody else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), (label) => {
        let added: ReturnType<typeof addEntity>;
        try {
          added = addEntity(KEPT, FILE, { label, wallets: [OTHER] });
        } catch {
          return;
        }
        const { entities, daos } = parseRegistry(added.text, FILE);
        expect(entities.map((entity) => entity.label).sort()).toEqual(["Known", label].sort());
        expect(daos).toEqual(parseRegistry(KEPT, FILE).daos);
      }),
    );
  });
});

describe("setOptOut", () => {
  it("changes one word, and back", () => {
    const out = setOptOut(KEPT, FILE, KNOWN, true);
    expect(out.text).toBe(KEPT.replace("publicApiOptOut: false", "publicApiOptOut: true"));
    expect(out.entity).toMatchObject({ entityId: KNOWN, isOptedOut: true });
    expect(setOptOut(out.text, FILE, KNOWN, false).text).toBe(KEPT);
  });

  it("changes the right one of many", () => {
    const [first, second] = parseRegistry(curated, FILE).entities;
    const { text } = setOptOut(curated, FILE, second?.entityId ?? "", true);
    const optedOut = parseRegistry(text, FILE).entities.filter(({ isOptedOut }) => isOptedOut);
    expect(optedOut.map(({ entityId }) => entityId)).toEqual([second?.entityId]);
    expect(first?.isOptedOut).toBe(false);
  });

  it("leaves the text alone where it says so already", () => {
    // A text that the writer of YAML would have written otherwise.
    const odd = KEPT.replace("daos:", "daos:   ");
    expect(setOptOut(odd, FILE, KNOWN, false).text).toBe(odd);
  });

  it.each([
    { why: "an id that is not there", id: NEW },
    { why: "a label for an id", id: "Known" },
    { why: "nothing", id: "" },
  ])("refuses $why", ({ id }) => {
    expect(() => setOptOut(KEPT, FILE, id, true)).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  });
});
