import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import type { ReportData } from "../../../../pipeline/tools/report/report-data.ts";
import { reportData, reportFiles } from "./report-stage.ts";

/** Every page of a report whose publisher says this of itself. */
async function pagesOf(imprint: ReportData["imprint"]): Promise<[path: string, page: Document][]> {
  const files = await reportFiles({ ...reportData(false), imprint });
  return [...files]
    .filter(([path]) => path.endsWith(".html"))
    .map(([path, text]) => [path, new JSDOM(text).window.document]);
}
const publisher = (more: object = {}) => ({
  contributors: [{ title: `Us & <b>"Co"</b>`, role: "publisher" as const, ...more }] as const,
});
const linksOf = (page: Document) =>
  [...page.querySelectorAll("footer a")].map((link) => [link.textContent, link.getAttribute("href")]);

describe("the foot of a page", () => {
  it("names nobody, no licence and no address where nobody has said", async () => {
    for (const [path, page] of await pagesOf({})) {
      const text = page.querySelector("footer")?.textContent ?? "";
      expect(text, path).not.toMatch(/Published|icence|Report an error|Opt out/);
      expect(linksOf(page), path).toEqual([
        ["Corrections: 0", expect.stringMatching(/about\.html#corrections$/)],
      ]);
    }
  });

  it("names the publisher and the licence on every page, escaped, and cites both name and address", async () => {
    const imprint = {
      ...publisher({ path: "https://us.example/?a='" }),
      licenses: [{ name: "CC0-1.0", path: "https://terms.example/" }] as const,
    };
    for (const [path, page] of await pagesOf({
      ...imprint,
      contributors: [...imprint.contributors],
      licenses: [...imprint.licenses],
    })) {
      const text = page.querySelector("footer")?.textContent;
      expect(text, path).toContain(`Published by Us & <b>"Co"</b> · licence of the numbers: CC0-1.0 ·`);
      expect(text, path).toMatch(/Cite as: Us & <b>"Co"<\/b>, govdata, .*, https:\/\/us\.example\/\?a='$/m);
      expect(linksOf(page).slice(0, 2), path).toEqual([
        [`Us & <b>"Co"</b>`, "https://us.example/?a='"],
        ["CC0-1.0", "https://terms.example/"],
      ]);
    }
  });

  it.each([
    {
      why: "mail says which version it is about",
      more: { email: "errors@us.example" },
      want: [
        "mailto:errors@us.example?subject=Report%20an%20error%20(govdata%2C%20version%2020260401T010000Z-0123abcd)",
        "mailto:errors@us.example?subject=Opt%20out%20(govdata%2C%20version%2020260401T010000Z-0123abcd)",
      ],
    },
    {
      why: "a page takes errors",
      more: { contact: "https://us.example/errors" },
      want: ["https://us.example/errors", "https://us.example/errors"],
    },
  ])("leads to whoever answers: $why", async ({ more, want }) => {
    const { contributors } = publisher(more);
    for (const [path, page] of await pagesOf({ contributors: [...contributors] })) {
      expect(linksOf(page).slice(0, 2), path).toEqual([
        ["Report an error", want[0]],
        ["Opt out", want[1]],
      ]);
    }
  });
});

describe("an invented world", () => {
  it("says so on every page, above what it shows, in charts, citations and llms.txt", async () => {
    const files = await reportFiles({ ...reportData(true), imprint: { invented: true } });
    for (const [path, text] of files) {
      if (path.endsWith(".html")) {
        const page = new JSDOM(text).window.document;
        expect(page.querySelector(".banner + main"), path).not.toBeNull();
        expect(page.querySelector("footer")?.textContent, path).toContain("invented data, as of");
      }
      if (path.endsWith(".svg")) expect(text, path).toContain("invented DAOs");
    }
    expect(files.get("llms.txt")).toContain("invented");
  });

  it("is not said of real data", async () => {
    for (const [path, text] of await reportFiles(reportData(true))) {
      if (path !== "report.css" && path !== "methodology.html") expect(text, path).not.toMatch(/invented/i);
    }
  });
});
