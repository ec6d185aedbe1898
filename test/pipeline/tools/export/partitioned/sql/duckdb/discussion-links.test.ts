import fc from "fast-check";
import { expect, test } from "vitest";
import { proposalMarks } from "../../../../../../../pipeline/score/components/deliberation.ts";
import { sampleProposal } from "../../../../../score/sample-facts.ts";
import { inDuckdb, statementsIn } from "../in-duckdb.ts";

/** What the SQL says of each text, by text. */
const linksBySql = (texts: readonly string[]): Promise<ReadonlyMap<string, boolean>> =>
  inDuckdb(async (connection) => {
    const rows = texts.map((_, index) => `(${index}, $${index + 1})`).join(", ");
    await connection.run(`CREATE TABLE proposal AS SELECT * FROM (VALUES ${rows}) AS given (n, discussion)`, [
      ...texts,
    ]);
    for (const statement of statementsIn("discussion-links.sql")) await connection.run(statement);
    const links = await connection.runAndReadAll("SELECT discussion, is_link FROM discussion_link");
    return new Map(links.getRows().map(([text, isLink]) => [String(text), Number(isLink) === 1]));
  });

async function differing(texts: readonly string[]): Promise<readonly string[]> {
  const distinct = [...new Set(texts)];
  const bySql = await linksBySql(distinct);
  const isLink = (discussion: string): boolean | undefined =>
    proposalMarks(sampleProposal("linked", { discussion })).discussion?.[0] === 1;
  return distinct.filter((text) => isLink(text) !== bySql.get(text));
}

const BLANKS = [
  ...["", " ", " \u0001https://a.example\t ", "ht\ntps://a.example"],
  ...["http://a b.example", "http://a.example /x"],
];

/** Texts without blanks: schemes, users, ports, names, escapes, numbers in names, addresses, dots. */
const TEXTS = String.raw`
https://forum.example/t/1 HTTP:forum.example https:// http: http:/// https:///three.example?q
http:\\a.example\b https:/a.example https:?q mailto:a@b.example ftp://a.example
forum.example //a.example xhttps://a.example https//a.example

http://u:p@a.example/ http://u@ http://u:p@:80/ http://a@b@c.example http://@/ http://:80/

http://a.example:65535 http://a.example:65536 http://a.example: http://a.example:8a http://a.example:00080
http://a.example:000000000000080 http://a.example:99999999999999999999

http://a<b.example http://a^b.example http://a|b.example http://a_b.example http://a'b.example/ http://*.example

http://a%41.example http://a%zz.example http://a%20b.example http://a%.example http://% http://a%2fb/ http://a%00b/
https:%ab.example http://a%c3%28.example/ http://%c3%a9.example http://u%ff@a.example

http://1.2.3.4 http://1.2.3.256 http://1.2.3 http://1.2 http://1 http://256 http://1.2.3.4.5
http://4294967295 http://4294967296 http://1.16777215 http://1.16777216 http://1.2.65535 http://1.2.65536
http://1.2.3.4. http://1..2 http://a.1 http://a.1. http://1.a http://a.0x1 http://0x http://1.2.3.08
http://09 http://0x7f.1 http://256.1 http://1.2.3.09. http://a.b.c.d.1 http://.1 http://1.
http://0377.1 http://0400.1 http://1.2.0177777 http://1.2.0200000 http://037777777777 http://040000000000
http://0xffffffff http://0x100000000 http://0x0000000001.0x00ff.0xffff http://0x100.1
http://00 http://1.077777777 http://1.0100000000

http://[::1] http://[::1]:80/ http://[::1 http://::1 http://[1:2:3:4:5:6:7:8] http://[1:2:3:4:5:6:7]
http://[1::2:3:4:5:6:7:8] http://[1:2:3:4:5:6:7::] http://[1::2::3] http://[:::] http://[] http://[12345::]
http://[::1.2.3.4] http://[::1.2.3.256] http://[::1.2.3] http://[1:2:3:4:5:6:7:1.2.3.4] http://[1:2:3:4:5:6:1.2.3.4]
http://[:1] http://[1:] http://[g::1] http://[::1]x http://x[::1] http://[::1%25eth] http://u@[::1]/

http://. http://.. http://a..b http://a. http://-a.example http://a#b@c http://a?b@c http://;/
`
  .trim()
  .split(/\s+/);

test("links that a table of odd ones holds are read as the scorer reads them", async () => {
  expect(await differing([...BLANKS, ...TEXTS])).toEqual([]);
});

test("links made of pieces at random are read alike", async () => {
  const pieces = String.raw`http https : // / \ @ a b.example 1 256 . [ ] ::1 %41 %ab %c3%a9 % ? # :80 0`;
  const text = fc
    .array(fc.constantFrom(" ", ...pieces.split(" ")), { maxLength: 7 })
    .map((parts) => parts.join(""));
  const link = fc.tuple(fc.constantFrom("http://", "https:", "HTTP://"), text).map((parts) => parts.join(""));
  const many = fc.array(fc.oneof(link, text), { minLength: 400, maxLength: 400, size: "max" });
  await fc.assert(
    fc.asyncProperty(many, async (texts) => {
      expect(await differing(texts)).toEqual([]);
    }),
    { numRuns: 1, endOnFailure: true },
  );
});
