import { describe, expect, it } from "vitest";
import { encodeLines } from "../../../../snapshots/format/canonical-json.ts";
import type { Evidence } from "../../../../snapshots/format/evidence.ts";
import type { ManifestFile } from "../../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../../snapshots/format/paths.ts";
import { compareLines } from "../../../../snapshots/store/maintain/compare-files.ts";
import { parseDocument } from "../../../../snapshots/store/read/parse-document.ts";
import { publishedEvidenceOf, variedDao } from "../../../pipeline/documents/evidence-world.ts";

const [made] = publishedEvidenceOf([variedDao("varied.eth")]);
if (made === undefined) throw new Error("one DAO makes one evidence");
const { evidence, proposals } = made;
const PATH = PATHS.proposals("varied.eth");
const bytes = encodeLines(proposals);
const text = bytes.toString();

/** What is said of a file of such bytes, beside the evidence. */
function said(of: Buffer, { records = proposals.length, beside = evidence as Evidence } = {}): string[] {
  const file: ManifestFile = {
    path: PATH,
    bytes: of.length,
    sha256: "",
    records,
    media_type: "application/x-ndjson",
  };
  return compareLines(file, of, beside).map(({ message }) => message);
}

describe("compareLines", () => {
  it("finds nothing in a file that is what the evidence was made of", () => {
    expect(said(bytes)).toEqual([]);
    expect(parseDocument("proposals", PATH, bytes)).toEqual(proposals);
  });

  it.each<{ why: string; of: Buffer; records?: number; beside?: Evidence; says: readonly string[] }>([
    {
      why: "the manifest counts another number of lines",
      of: bytes,
      records: proposals.length + 1,
      says: ["does not contain as many lines as the manifest says"],
    },
    {
      why: "a space that changes no value",
      of: Buffer.from(text.replace('":', '": ')),
      says: ["is not canonical"],
    },
    {
      why: "a file that ends without its newline",
      of: bytes.subarray(0, -1),
      says: ["is not canonical"],
    },
    {
      why: "fields in another order",
      of: Buffer.from(
        text.replace(/"is_flagged":(\w+),"is_deleted":(\w+)/, '"is_deleted":$2,"is_flagged":$1'),
      ),
      says: ["is not canonical"],
    },
    {
      why: "a number that differs by its last bit",
      of: Buffer.from(text.replace(/"gini":0\.(\d+)\d,/, '"gini":0.$1,')),
      says: ["is not the file that the evidence was made from"],
    },
    {
      why: "the lines of another DAO's evidence",
      of: bytes,
      beside: { ...evidence, frame: { ...evidence.frame, known: 3 } },
      says: ["does not contain as many lines as there are known proposals"],
    },
    {
      why: "low: an empty file",
      of: Buffer.alloc(0),
      says: [
        "does not contain as many lines as the manifest says",
        "does not contain as many lines as there are known proposals",
      ],
    },
  ])("notices $why", ({ of, says, ...rest }) => {
    expect(said(of, rest)).toEqual(expect.arrayContaining(says.map((each) => `${PATH}: ${each}`)));
  });

  it.each([
    { why: "impossible: no JSON", of: `${text}{`, says: "is not JSON in UTF-8" },
    {
      why: "impossible: not UTF-8",
      of: Buffer.concat([bytes, Buffer.from([0xff, 0x0a])]),
      says: "is not JSON",
    },
    { why: "an empty line", of: text.replace("\n", "\n\n"), says: "is not JSON in UTF-8" },
    { why: "a field more", of: text.replace("{", '{"author":"0xa",'), says: "" },
    { why: "a field less", of: text.replace(/"unit":\d+,/, ""), says: "unit: " },
    { why: "a list around them", of: `[${text.trim().replaceAll("\n", ",")}]\n`, says: "" },
  ])("refuses $why, and says which file", ({ of, says }) => {
    expect(() => said(Buffer.from(of))).toThrow(`${PATH}: ${says}`);
  });

  it("does not repeat what a hostile line holds", () => {
    const hostile = text.replace(/"place":"\w+"/, '"place":"\\u001b[2Jsecret"');
    expect(() => said(Buffer.from(hostile))).toThrow(/^(?!.*secret).*place/);
  });
});
