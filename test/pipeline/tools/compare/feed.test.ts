import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atomFeed } from "../../../../pipeline/tools/compare/feed.ts";
import { type DaoChange, movesOf, stableUrn } from "../../../../pipeline/tools/compare/moves.ts";
import { anyText } from "../../../support/any-text.ts";
import { atomFaults, childText, readHtml, readXml } from "../../../support/atom.ts";

const AS_OF = "2026-03-31T23:59:59.999Z";

const change = (parts: Partial<DaoChange> = {}): DaoChange => ({
  spaceId: "orchard",
  name: "Orchard",
  fate: "moved",
  gvsBefore: 6,
  gvsAfter: 5.5,
  interval: [5.1, 6.02],
  rankBefore: 1,
  rankAfter: 2,
  riskBefore: 40.5,
  riskAfter: 41.5,
  mostly: "process",
  why: "process −0.40",
  ...parts,
});

const ABOUT = { sequence: 2, created_at: "2026-04-01T01:00:00.000Z", as_of: AS_OF };

const feedOf = (daos: readonly DaoChange[], baseUrl?: string) =>
  atomFeed(AS_OF, movesOf(ABOUT, daos), baseUrl);

/** What a reader shows of the HTML in an element. */
const shown = (element: Element | null | undefined) => readHtml(element?.textContent ?? "");

describe("an entry", () => {
  it.each([
    { why: "moved", dao: change(), title: "Orchard: 6.00 → 5.50 (−0.50)", link: "daos/orchard.html" },
    {
      why: "has its first score",
      dao: change({ fate: "scored", gvsBefore: undefined, rankBefore: undefined }),
      title: "Orchard has a score now: 5.50",
      link: "daos/orchard.html",
    },
    {
      why: "lost its score",
      dao: change({ fate: "unscored", gvsAfter: undefined, rankAfter: undefined }),
      title: "Orchard no longer has a score: 6.00 before",
      link: "quality.html",
    },
    {
      why: "is new",
      dao: change({ fate: "appeared", gvsBefore: undefined }),
      title: "Orchard is new: 5.50",
      link: "daos/orchard.html",
    },
    {
      why: "is gone",
      dao: change({ fate: "vanished", gvsAfter: undefined }),
      title: "Orchard is no longer tracked: 6.00 before",
      link: "changes.html",
    },
  ])("tells of a DAO that $why", async ({ dao, title, link }) => {
    const document = readXml(await feedOf([dao]));
    expect(atomFaults(document)).toEqual([]);
    const entry = document.querySelector("entry");
    expect(shown(entry?.querySelector("title")).textContent).toBe(title);
    expect(entry?.querySelector("link")?.getAttribute("href")).toBe(link);
    expect(childText(entry, "updated")).toBe(AS_OF);
    // Risk is not for everybody.
    expect(entry?.textContent).not.toMatch(/4[01]\.5/);
  });

  it("says rank and reason where it knows them", async () => {
    const textOf = async (parts: Partial<DaoChange>) =>
      shown(readXml(await feedOf([change(parts)])).querySelector("content")).textContent;
    expect(await textOf({})).toBe(
      "Orchard moved: governance score 6.00 → 5.50 (−0.50), between 5.10 and 6.02. Rank 1 → 2. Mostly by process.As of 2026-03-31 23:59 UTC.",
    );
    expect(await textOf({ rankAfter: 1, mostly: undefined, interval: undefined })).not.toMatch(
      /Rank|Mostly|between/,
    );
  });

  it.each([
    { why: "a rank alone", dao: change({ gvsAfter: 6 }), count: 0 },
    {
      why: "nothing scored on either side",
      dao: change({ fate: "appeared", gvsBefore: undefined, gvsAfter: undefined }),
      count: 0,
    },
    { why: "a hundredth", dao: change({ gvsAfter: 6.01 }), count: 1 },
  ])("is made of scores that moved: $why: $count", ({ dao, count }) => {
    expect(movesOf(ABOUT, [dao])).toHaveLength(count);
  });
});

describe("the id of an entry", () => {
  const idOf = (dao: Partial<DaoChange> = {}, about: Partial<typeof ABOUT> = {}) =>
    movesOf({ ...ABOUT, ...about }, [change(dao)])[0]?.id;
  it("is of the version and the DAO, whatever is told of them", () => {
    const id = idOf();
    expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(idOf({ name: "Other", gvsAfter: 1, fate: "scored" })).toBe(id);
    // A version that is redacted while it is the current one gets a new sequence, and keeps its time.
    expect(idOf({}, { sequence: 3 })).toBe(id);
    const others = [idOf({ spaceId: "orchard-2" }), idOf({}, { created_at: "2026-04-01T01:00:00.001Z" })];
    expect(new Set([id, ...others]).size).toBe(3);
  });

  it("is not that of words put together otherwise", () => {
    expect(stableUrn("a", "b1")).not.toBe(stableUrn("a", "b", "1"));
  });
});

describe("a feed", () => {
  it("is the same text every time, also without a move", async () => {
    const daos = [change(), change({ spaceId: "b", name: "B" })];
    expect(await feedOf(daos)).toBe(await feedOf(daos));
    expect(atomFaults(readXml(await feedOf([])))).toEqual([]);
  });

  it("leads to itself and to pages where it is told its address, and nowhere else", async () => {
    const text = await feedOf([change()], "https://dao.example.org/a&b/");
    const document = readXml(text);
    expect(atomFaults(document)).toEqual([]);
    const links = [...document.querySelectorAll("link")].map((link) => [
      link.getAttribute("rel"),
      link.getAttribute("href"),
    ]);
    expect(links).toEqual([
      ["alternate", "https://dao.example.org/a&b/"],
      ["self", "https://dao.example.org/a&b/feed.xml"],
      [null, "https://dao.example.org/a&b/daos/orchard.html"],
    ]);
    expect(childText(document.documentElement, "id")).toBe("https://dao.example.org/a&b/feed.xml");
    expect(await feedOf([change()])).not.toMatch(/feed\.invalid|jpmonette/);
  });

  const HOSTILE = [
    { why: "an end of the section", name: "]]>]]><entry/>]]>" },
    { why: "markup", name: "<b onclick=x>R&D</b> & <script>alert(1)</script>" },
    { why: "entities", name: "&amp;lt; &#0; &bogus;" },
    { why: "characters that XML forbids", name: "a\u0000\u0008\u001b\uFFFE\uFFFFb\uD800c" },
    { why: "letters from right to left, turned about", name: "\u202Eشبكة\u2066 DAO" },
    { why: "an address of nowhere", name: `x" href="https://feed.invalid/` },
    { why: "nothing that may be shown", name: "\u0000" },
  ];
  it.each(HOSTILE)("stays whole where a DAO calls itself $why", async ({ name }) => {
    const document = readXml(await feedOf([change({ name }), change({ spaceId: "next" })]));
    expect(atomFaults(document)).toEqual([]);
    expect(document.querySelectorAll("entry")).toHaveLength(2);
    for (const element of document.querySelectorAll("entry > title, entry > content"))
      expect(shown(element).querySelectorAll("script, b, [onclick], entry")).toHaveLength(0);
  });

  it("shows a name as it is, but for what is not shown anywhere", async () => {
    const [, markup, entities, forbidden, turned] = HOSTILE.map(({ name }) => name);
    const seen = [];
    for (const name of [markup, entities, forbidden, turned])
      seen.push(
        shown(readXml(await feedOf([change({ name: name ?? "" })])).querySelector("title + id ~ content")),
      );
    expect(seen.map((body) => body.querySelector("bdi")?.textContent)).toEqual([
      markup,
      entities,
      "ab\uFFFDc",
      "شبكة DAO",
    ]);
  });

  it("stays whole whatever DAOs are called", async () => {
    const names = fc.array(anyText({ maxLength: 30 }), { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(names, async (called) => {
        const daos = called.map((name, index) => change({ name, spaceId: `dao-${index}` }));
        const document = readXml(await feedOf(daos));
        expect(atomFaults(document)).toEqual([]);
        expect(document.querySelectorAll("entry")).toHaveLength(daos.length);
      }),
      { numRuns: 6 },
    );
  });
});

describe("the tests' own judge", () => {
  it.each([
    { why: "no id", from: /<id>[^<]*<\/id>/, to: "" },
    { why: "no time", from: /<updated>[^<]*<\/updated>/, to: "" },
    { why: "a day for a time", from: /<updated>[^<]*</, to: "<updated>2026-04-01<" },
    { why: "no author", from: /<author>[\s\S]*?<\/author>/, to: "" },
    { why: "an element that Atom has not", from: /<generator>/, to: "<dc>x</dc><generator>" },
  ])("sees $why", async ({ from, to }) => {
    const text = await feedOf([change(), change({ spaceId: "b" })]);
    expect(atomFaults(readXml(text))).toEqual([]);
    expect(atomFaults(readXml(text.replace(from, to)))).not.toEqual([]);
  });

  it("sees an id twice, and no XML that is none", async () => {
    expect(atomFaults(readXml(await feedOf([change(), change()])))).toEqual(["an id twice"]);
    expect(() => readXml("<feed><title></feed>")).toThrow();
    expect(() => readXml("<feed>\u0008</feed>")).toThrow();
  });
});
